public import FencepostEngine
public import FencepostModel

/// What the retained topics have to say, from the statuses of devices. It names only topics that changed.
public struct PublishedState: Sendable {
    /// A retained message; an empty payload clears the topic.
    public struct Change: Hashable, Sendable {
        /// The topic.
        public var topic: String
        /// JSON or a word; empty to clear the topic.
        public var payload: String
    }

    /// Largest number of pairs of device and region that get a topic of their own.
    public static let largestPresence = 20_000

    private let topics: MQTTTopics
    /// Names of devices by id, for people. Changes are named with the next statuses.
    public var names: [String: String] {
        didSet { hasNewNames = hasNewNames || names != oldValue }
    }
    private var hasNewNames = false
    /// The payloads that were named last, by topic, and the device to whom each topic belongs.
    private var published: [String: String] = [:]
    private var topicsOfDevice: [DeviceID: Set<String>] = [:]
    private var occupants: [RegionID: Set<DeviceID>] = [:]
    private var devices: [DeviceID: DeviceStatus] = [:]
    private var regions: [RegionID: Region] = [:]
    private var publishedRegions: [RegionID: PublishedRegion] = [:]

    /// A state of which nothing is published.
    ///
    /// - Parameters:
    ///   - topics: where to publish.
    ///   - names: names of devices by id, for people.
    public init(_ topics: MQTTTopics, names: [String: String]) {
        self.topics = topics
        self.names = names
    }

    /// The known devices.
    public var deviceIDs: [DeviceID] { devices.keys.sorted { $0.rawValue < $1.rawValue } }

    /// The topics that have something to say now.
    var topicNames: Set<String> { Set(published.keys) }

    /// The device that a topic is about; `nil` for those of regions.
    func devices(of topics: Set<String>) -> [String: DeviceID] {
        var found: [String: DeviceID] = [:]
        for (device, own) in topicsOfDevice { for topic in own where topics.contains(topic) { found[topic] = device } }
        return found
    }

    /// Has everything named again, because the broker may have lost it.
    public mutating func forgetPublished() { published = [:] }

    /// Takes new statuses, the present regions and devices that are gone.
    ///
    /// - Parameters:
    ///   - changed: statuses of new and changed devices.
    ///   - present: all regions.
    ///   - removed: devices that do not exist any more.
    /// - Returns: the retained messages that differ from the last ones, in the order of their topics; cleared discovery
    ///   goes first, since Home Assistant reads what is empty as a state otherwise.
    public mutating func take(_ changed: [DeviceStatus], regions present: [Region], removed: [DeviceID]) -> [Change] {
        let newRegions = Dictionary(present.map { ($0.id, $0) }) { first, _ in first }
        let regionsChanged = newRegions != regions
        regions = newRegions
        if regionsChanged { publishedRegions = regions.mapValues(PublishedRegion.init) }
        for status in changed { devices[status.deviceID] = status }
        for device in removed { devices[device] = nil }
        var changes: [Change] = []
        let isEverything = regionsChanged || published.isEmpty || hasNewNames
        hasNewNames = false
        for status in isEverything ? Array(devices.values) : changed { write(status, &changes) }
        for device in removed { clear(topicsOfDevice.removeValue(forKey: device) ?? [], &changes) }
        writeOccupants(&changes)
        return changes.sorted { ($0.order(topics), $0.topic) < ($1.order(topics), $1.topic) }
    }

    /// What Home Assistant would find: the devices with a discovery message, and all discovery messages, each of which is an entity.
    ///
    /// - Parameters:
    ///   - statuses: all devices.
    ///   - regions: all regions.
    ///   - topics: where to publish.
    /// - Returns: the numbers; entities of alerts come with the first alert, and are not counted.
    public static func discovered(
        _ statuses: [DeviceStatus], regions: [Region], _ topics: MQTTTopics
    ) -> (devices: Int, entities: Int) {
        var state = PublishedState(topics, names: [:])
        let changes = state.take(statuses, regions: regions, removed: [])
        return (statuses.count, changes.count { topics.isDiscovery($0.topic) })
    }

    private mutating func write(_ status: DeviceStatus, _ changes: inout [Change]) {
        let device = published(status)
        var current: [String: String] = [
            topics.state(of: device.id): device.state(), topics.zone(of: device.id): device.zone,
        ]
        for (topic, payload) in topics.discovery(of: device) { current[topic] = payload }
        if devices.count * regions.count <= Self.largestPresence {
            for region in regions.values where region.applies(to: device.id) {
                let isInside = status.regions.contains(region.id)
                current[topics.presence(of: device.id, in: region.id)] = isInside ? "ON" : "OFF"
                if let (topic, payload) = topics.discovery(of: device, in: published(region.id)) {
                    current[topic] = payload
                }
            }
        }
        clear((topicsOfDevice[device.id] ?? []).subtracting(current.keys), &changes)
        topicsOfDevice[device.id] = Set(current.keys)
        for (topic, payload) in current { note(topic, payload, &changes) }
    }

    private mutating func writeOccupants(_ changes: inout [Change]) {
        var now = regions.mapValues { _ in Set<DeviceID>() }
        for status in devices.values { for region in status.regions { now[region]?.insert(status.deviceID) } }
        clear(Set(occupants.keys.filter { now[$0] == nil }.map(topics.occupants)), &changes)
        occupants = now
        for (region, inside) in now {
            let payload = topics.occupants(
                name: published(region).name, inside: inside.sorted { $0.rawValue < $1.rawValue })
            note(topics.occupants(of: region), payload, &changes)
        }
    }

    private mutating func note(_ topic: String, _ payload: String, _ changes: inout [Change]) {
        guard published[topic] != payload else { return }
        published[topic] = payload
        changes.append(Change(topic: topic, payload: payload))
    }

    private mutating func clear(_ topics: Set<String>, _ changes: inout [Change]) {
        for topic in topics {
            published[topic] = nil
            changes.append(Change(topic: topic, payload: ""))
        }
    }

    private func published(_ status: DeviceStatus) -> PublishedDevice {
        let id = status.deviceID.rawValue
        var device = PublishedDevice(
            id: status.deviceID, name: names[id] ?? id, location: status.lastLocation,
            regions: status.regions.map(published), visit: status.visit, isStale: status.isStale)
        device.fence = status.fence?.state
        device.walksRounds = status.walksRounds
        device.isInPairs = status.isInPairs
        return device
    }

    private func published(_ region: RegionID) -> PublishedRegion {
        publishedRegions[region] ?? PublishedRegion(unknown: region)
    }
}

extension PublishedState.Change {
    fileprivate func order(_ topics: MQTTTopics) -> Int {
        payload.isEmpty && topics.isDiscovery(topic) ? 0 : 1
    }
}
