import FencepostEngine
import FencepostFormats
import FencepostHTTP
import FencepostModel
import FencepostRegions
import FencepostService

/// Which devices a list is about: by `deviceId`, `group` and `name`.
struct DeviceChoice: Sendable {
    /// The only device that it may be; `nil` for several.
    var device: DeviceID?
    /// Lists of patterns, of each of which one has to match.
    var patterns: [[GlobPattern]] = []

    func includes(_ id: DeviceID) -> Bool {
        if let device, device != id { return false }
        return patterns.allSatisfy { list in list.contains { $0.matches(id.rawValue) } }
    }

    /// Whether the text of `deviceId` stands for several devices.
    static func isPattern(_ text: String) -> Bool { text.contains { "*?".contains($0) } }
}

extension Call {
    /// The devices of `?deviceId=`: one, or those that a pattern matches; that of the caller's token without it.
    func namedDevices() throws(Problem) -> DeviceChoice {
        guard let name = query["deviceId"], DeviceChoice.isPattern(name) else {
            return DeviceChoice(device: try device())
        }
        guard (try? DeviceID(validating: name)) != nil else {
            throw .parameter("deviceId", "it has to be the id of a device, or a pattern such as vans/*.")
        }
        return DeviceChoice(device: caller.deviceID, patterns: [[GlobPattern(name)]])
    }
}

extension API {
    /// The devices that a request names by id, group and name.
    func choice(of call: Call) async throws -> DeviceChoice {
        var choice = try call.namedDevices()
        if let tag = call.query["group"] { choice.patterns.append(try await devices(ofGroup: tag, for: call.caller)) }
        if let text = call.query["name"] { choice.patterns.append(try await devices(named: text)) }
        return choice
    }

    /// The patterns of a group's devices. A group that the caller does not see does not exist.
    private func devices(ofGroup tag: String, for caller: Caller) async throws -> [GlobPattern] {
        guard let group = try await store.groups().first(where: { $0.tag == tag && caller.maySee($0) }) else {
            throw Problem.notFound("group")
        }
        return group.devices
    }

    /// The devices whose name has the text, in any case; of those without a name, whose id has it.
    private func devices(named text: String) async throws -> [GlobPattern] {
        let wanted = text.lowercased()
        var (found, named): ([DeviceID], Set<DeviceID>) = ([], [])
        for profile in try await store.profiles() {
            guard let name = profile.name else { continue }
            named.insert(profile.deviceID)
            if name.lowercased().contains(wanted) { found.append(profile.deviceID) }
        }
        forEachKnownDevice { status in
            let id = status.deviceID
            if !named.contains(id), id.rawValue.lowercased().contains(wanted) { found.append(id) }
        }
        return found.map { GlobPattern($0.rawValue) }
    }

    private func forEachKnownDevice(_ body: (DeviceStatus) -> Void) {
        var last: DeviceID?
        while true {
            let page = monitoring.devices(after: last, in: nil, limit: Call.largestLimit)
            for status in page { body(status) }
            guard page.count == Call.largestLimit else { return }
            last = page.last?.deviceID
        }
    }

    /// The devices of a choice that the caller may see, by id; all of them for one that names none.
    func devices(of choice: DeviceChoice, for caller: Caller) -> [DeviceID] {
        if let device = choice.device { return choice.includes(device) && caller.maySee(device) ? [device] : [] }
        var found: [DeviceID] = []
        forEachKnownDevice { status in
            if choice.includes(status.deviceID), caller.maySee(status.deviceID) { found.append(status.deviceID) }
        }
        return found
    }

    /// The regions with the tag of `?tag=` that the caller may see; `nil` without it.
    func taggedRegions(of call: Call) -> [RegionID]? {
        guard let tag = call.query["tag"] else { return nil }
        return monitoring.regions().catalog.regions.map(\.region)
            .filter { $0.tags.contains(tag) && call.caller.visibility.includes($0) }.map(\.id).sorted()
    }

    /// The filter of a list of events or visits.
    func filter(of call: Call) async throws -> HistoryFilter {
        var filter = try call.filter()
        filter.chosen = try await choice(of: call).patterns
        filter.regionIDs = taggedRegions(of: call)
        return filter
    }
}

extension Route.Parameter {
    static let group = Self(
        name: "group", schema: Schema.text, text: "Only entries of the devices of this group, by its tag.")
    static let name = Self(
        name: "name", schema: Schema.text,
        text: "Only entries of devices whose name has this text, in any case; of those without a name, whose id has it."
    )
    static let tag = Self(name: "tag", schema: Schema.text, text: "Only entries of regions with this tag.")
    /// Parameters that choose devices.
    static let choice = [deviceID, group, name]
}
