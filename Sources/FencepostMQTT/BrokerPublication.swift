import FencepostEngine
import FencepostJSON
public import FencepostModel
public import FencepostMonitor
import FencepostRegions
public import FencepostService
public import Logging
import Synchronization

/// Publishes the present to an MQTT broker as retained messages, and events for the dispatcher.
public struct BrokerPublication: Sendable {
    let publisher: MQTTPublisher
    private let connections: ConnectionCount
    let topics: MQTTTopics
    let alertEvents: @Sendable (DeviceID) async throws -> [Event]
    let newestEvent: @Sendable (DeviceID) async throws -> Int64?
    let rules: @Sendable () async throws -> [AlertRule]?
    /// The last alerts of devices as of their newest event.
    let alerts = KnownAlerts()
    private let givenNames: @Sendable () async -> [String: String]
    let faces: @Sendable () async -> [String: [UInt8]]
    /// Names of devices by id; shared by the two tasks that publish.
    let names: SharedNames
    let ownTracks: String?
    let monitor: any Monitoring
    let logger: Logger
    private let onConnection: @Sendable () async -> Void
    let retained: RetainedTopics
    let sleep: @Sendable (Duration) async throws -> Void

    /// How often changes are looked for.
    static let interval = Duration.seconds(1)

    /// What is published.
    public struct Contents: Sendable {
        /// Where to publish.
        public var topics: MQTTTopics
        /// Names of devices by id, for people.
        public var names: [String: String] = [:]
        /// Names that people give devices while the service runs; those of `names` come first.
        public var givenNames: @Sendable () async -> [String: String] = { [:] }
        /// The pictures of devices by id: PNG or JPEG files.
        public var faces: @Sendable () async -> [String: [UInt8]] = { [:] }
        /// First level of OwnTracks' topics for transitions; `nil` for none.
        public var ownTracks: String?
        /// The live events of alerts of a device that hold, as they are stored and in their order: what they say last is
        /// published again after each connection.
        public var alertEvents: @Sendable (DeviceID) async throws -> [Event] = { _ in [] }
        /// The number of a device's newest event, with which its alerts change; `nil` when it is not known.
        public var newestEvent: @Sendable (DeviceID) async throws -> Int64? = { _ in nil }
        /// The rules of alerts; `nil` where they are not known. What is published about others is cleared.
        public var rules: @Sendable () async throws -> [AlertRule]? = { nil }
        /// Has the topics for which the broker keeps messages; `nil` to know those of this run only.
        public var retained: (any RetainedTopicStore)?

        /// Contents without names and transitions.
        public init(_ topics: MQTTTopics) { self.topics = topics }
    }

    /// Who wants to know of the connection of a publication.
    public struct Observer: Sendable {
        /// Called when the broker takes messages, and when it does no longer.
        public var connected: @Sendable (Bool) -> Void = { _ in }
        /// Called with each failure in place of a connection.
        public var failed: @Sendable (BrokerFailure) -> Void = { _ in }

        /// One that does nothing.
        public init() {}
    }

    /// A publication, which `work` connects. More than five parameters, because each is another part of the service.
    ///
    /// - Parameters:
    ///   - settings: address and credentials of the broker, with a client id of its own.
    ///   - contents: what is published.
    ///   - monitor: has the statuses.
    ///   - logger: logs connections.
    ///   - observer: gets to know of the connection.
    ///   - onConnection: called after each connection, when the state is published.
    ///   - sleep: waits between two looks at the statuses.
    /// - Throws: `MQTTError.invalidSettings`.
    public init(
        _ settings: MQTTSettings, contents: Contents, monitor: any Monitoring, logger: Logger,
        observer: Observer = Observer(),
        onConnection: @escaping @Sendable () async -> Void = {},
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(MQTTError) {
        let connections = ConnectionCount()
        publisher = try MQTTPublisher(
            settings, will: contents.topics.status,
            onConnection: { isConnected in
                if isConnected { connections.increase() }
                observer.connected(isConnected)
                logger.info(isConnected ? "The broker takes messages." : "The broker takes no messages.")
            }, onFailure: observer.failed)
        self.connections = connections
        (topics, ownTracks) = (contents.topics, contents.ownTracks)
        (alertEvents, newestEvent, rules) = (contents.alertEvents, contents.newestEvent, contents.rules)
        (names, faces) = (SharedNames(contents.names), contents.faces)
        retained = RetainedTopics(contents.retained, at: "\(settings.host):\(settings.port)")
        givenNames = { await contents.givenNames().merging(contents.names) { _, own in own } }
        (self.monitor, self.logger, self.onConnection, self.sleep) = (monitor, logger, onConnection, sleep)
    }

    /// Publishes changes until cancellation. The connection lasts until `leave`.
    public func work() async {
        publisher.start()
        await publishChanges()
    }

    /// Takes leave of the broker. To be called once, after `work`.
    public func leave() async {
        _ = await publisher.publish(
            MQTTMessage(topic: topics.status, payload: Array("offline".utf8), isRetained: true), within: .seconds(1))
        publisher.stop()
    }

    /// What was published in the connection that lasts.
    private struct Progress {
        var state: PublishedState
        var version: Int64 = 0
        var connection = 0
        var rounds = 0
        var cards: [String: OwnTracksCard] = [:]
        /// Whether what earlier runs have left at the broker was read, and whether it was cleared.
        var isRead = false, isSwept = false
        /// What earlier runs have left, until it is known what of it is still so.
        var kept: [MQTTMessage] = []
        /// For what the alerts were published; `nil` for nothing.
        var alerts: AlertOccasion?
    }

    private func publishChanges() async {
        var progress = Progress(state: PublishedState(topics, names: names.value))
        var isLogged = false
        while !Task.isCancelled {
            let current = connections.value
            if publisher.isConnected, current > 0 {
                do {
                    try await publishChanges(of: current, &progress)
                    isLogged = false
                } catch {
                    // Everything is published when the topics can be noted again.
                    (progress.connection, progress.version) = (0, 0)
                    if !isLogged {
                        logger.warning(
                            "Nothing is published: its topics cannot be stored.", metadata: ["error": "\(error)"])
                    }
                    isLogged = true
                }
            }
            try? await sleep(Self.interval)
        }
    }

    private func publishChanges(of connection: Int, _ progress: inout Progress) async throws {
        try await retained.load()
        let isNew = connection != progress.connection
        if isNew {
            progress.connection = connection
            progress.state.forgetPublished()
            try await retained.note([RetainedTopic(topic: topics.status, deviceID: nil, kind: .state)])
            let online = MQTTMessage(topic: topics.status, payload: Array("online".utf8), isRetained: true)
            if progress.isRead {
                publisher.retain(topics.status, "online")
            } else {
                progress.kept = await readKept(before: online)
                progress.isRead = true
            }
        }
        let isLook = isNew || progress.rounds % 5 == 0
        if isLook {
            names.value = await givenNames()
            progress.state.names = names.value
            if isNew { progress.cards = [:] }
            try await publishCards(after: &progress.cards)
        }
        let changed: [DeviceStatus]
        (changed, progress.version) = changes(since: progress.version)
        progress.rounds += 1
        let isReady = monitor.readiness().isReady
        let removed = isLook ? progress.state.deviceIDs.filter { monitor.device($0) == nil } : []
        let regions = monitor.regions().catalog.regions.map(\.region)
        try await publish(progress.state.take(changed, regions: regions, removed: removed), progress.state)
        if isLook, isReady {
            try await adopt(progress.kept)
            progress.kept = []
            let occasion = AlertOccasion(
                connection: connection, names: names.value, regions: Set(regions.map(\.id)),
                rules: try await rules().map { AlertRules($0, regions) })
            if occasion != progress.alerts {
                try await publishAlerts(for: occasion)
                progress.alerts = occasion
            }
            await clear(
                await retained.topics { [monitor] topic in
                    topic.kind == .alert && topic.deviceID.map { monitor.device($0) == nil } ?? true
                })
        }
        if isReady, !progress.isSwept {
            let current = progress.state.topicNames.union([topics.status])
            await clear(await retained.topics { $0.kind == .state && !current.contains($0.topic) })
            progress.isSwept = true
        }
        if isNew { await onConnection() }
    }

    private func publish(_ changes: [PublishedState.Change], _ state: PublishedState) async throws {
        let present = changes.filter { !$0.payload.isEmpty }
        let devices = state.devices(of: Set(present.map(\.topic)))
        try await retained.note(
            present.map { RetainedTopic(topic: $0.topic, deviceID: devices[$0.topic], kind: .state) })
        for change in present { publisher.retain(change.topic, change.payload) }
        await clear(changes.filter(\.payload.isEmpty).map(\.topic))
    }

    /// Clears topics at the broker, discovery first, and forgets those of which it has said that it has.
    func clear(_ names: [String]) async {
        var cleared: [String] = []
        for topic in names.filter(topics.isDiscovery) + names.filter({ !topics.isDiscovery($0) }) {
            let message = MQTTMessage(topic: topic, payload: [], isRetained: true)
            guard await publisher.publish(message) == .acknowledged else { break }
            cleared.append(topic)
        }
        await retained.forget(cleared)
    }

    func changes(since version: Int64) -> (devices: [DeviceStatus], version: Int64) {
        var found: [DeviceStatus] = []
        // The version of the first page: what changes between two pages is then found again.
        let first = monitor.devices(changedSince: version, after: nil, limit: 1000)
        var page = first.devices
        while let last = page.last {
            found += page
            page = monitor.devices(changedSince: version, after: last.deviceID, limit: 1000).devices
        }
        return (found, first.version)
    }

    /// Publishes the message of an event with QoS 1.
    ///
    /// - Parameter body: the message in the standard format of webhooks.
    /// - Returns: whether the broker has it.
    public func publish(event body: String) async -> MQTTPublisher.Outcome {
        let document = try? JSONDocument(parsing: body)
        let device = (document?.root["data"]?["deviceId"]?.string).map { DeviceID($0) }
        let outcome = await publisher.publish(
            MQTTMessage(topic: topics.events(of: device), payload: Array(body.utf8)))
        guard outcome == .acknowledged, let device, let root = document?.root else { return outcome }
        // All messages of an event belong together: it counts as published when the broker has all of them.
        if let alert = AlertTopic(root) {
            let outcome = await publish(alert)
            guard outcome == .acknowledged else { return outcome }
        }
        guard let ownTracks, let transition = OwnTracksTransition.payload(of: root)
        else { return outcome }
        return await publisher.publish(
            MQTTMessage(
                topic: "\(ownTracks)/\(MQTTTopics.escaped(device.rawValue))/event", payload: Array(transition.utf8)))
    }
}

/// What was read of alerts, by device.
final class KnownAlerts: Sendable {
    private let storage = Mutex<[DeviceID: (newest: Int64, alerts: [AlertTopic])]>([:])

    /// The last alerts of a device, if its newest event is still this one.
    func alerts(of device: DeviceID, asOf newest: Int64) -> [AlertTopic]? {
        storage.withLock { known in known[device].flatMap { $0.newest == newest ? $0.alerts : nil } }
    }

    func set(_ alerts: [AlertTopic], of device: DeviceID, asOf newest: Int64) {
        storage.withLock { $0[device] = (newest, alerts) }
    }
}

/// The names of devices by id.
final class SharedNames: Sendable {
    private let storage: Mutex<[String: String]>

    init(_ names: [String: String]) { storage = Mutex(names) }

    var value: [String: String] {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
