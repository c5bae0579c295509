import ArgumentParser
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import FencepostStore
import Foundation

/// Evaluates the stored fixes again and compares the result with the stored events.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluates the stored fixes again and lists differences from the stored events.",
        discussion: """
            Example:
              fencepost replay --config fencepost.json

            It only reads, also while the service runs. It uses the stored regions and the settings of the \
            configuration, and all fixes in the order of their times, as late ones were evaluated too; if neither has \
            changed since the fixes arrived, there is no difference. A line with + is an \
            event of the replay that is not stored, a line with - a stored event that is not in the replay. The exit \
            code is 1 when there are differences.
            """)

    @OptionGroup var storage: StorageArguments

    @Option(name: .long, help: "Only this device.")
    var device: String?

    @Flag(name: .long, help: "Print one JSON object per difference.")
    var json = false

    private static let page = 10_000

    func run() async throws {
        let configuration = try storage.configuration()
        _ = try storage.existingPath()
        let store = try StorageArguments.run { try SQLiteStore(reading: configuration.storage) }
        let state = try await store.currentState()
        let regions = state.regions.compactMap { stored in
            RegionFile.read(
                Array(stored.feature.utf8), name: stored.id.rawValue, options: .stored
            ).regions.first
        }
        let index = RegionIndex(RegionCatalog(regions))
        let settings = configuration.monitor.adding(try await store.alertSources())
        var (fixes, events, differences) = (0, 0, 0)
        var buffer = OutputBuffer()
        let pairs = try await pairEvents(of: state.devices.map(\.deviceID), in: store, settings.proximity)
        let ids = device.map { [DeviceID($0)] } ?? state.devices.map(\.deviceID).sorted { $0.rawValue < $1.rawValue }
        for id in ids {
            let found = try await replay(id, in: store, index, settings, pairs[id] ?? [])
            fixes += found.fixes
            events += found.events
            differences += found.lines.count
            for line in found.lines { buffer.append(line) }
            try buffer.flushIfLarge()
        }
        try buffer.flush()
        try store.close()
        Console.say(
            "\(Prose.count(ids.count, "device")), \(Prose.count(fixes, "fix", "fixes")), "
                + "\(Prose.count(events, "event")): \(Prose.count(differences, "difference"))")
        if differences > 0 { throw ExitStatus.problems.exit }
    }

    private func replay(
        _ id: DeviceID, in store: SQLiteStore, _ index: RegionIndex, _ settings: MonitorSettings, _ pairs: [Event]
    ) async throws -> (fixes: Int, events: Int, lines: [String]) {
        // The fixes are in the order of their times.
        var settings = settings
        settings.reorderWindow = .zero
        var engine = MonitorEngine(index, settings: settings)
        var (fixes, last) = (0, Timestamp.distantPast)
        var fences = try await store.fenceRecords(of: id)[...]
        var replayed: [Event] = []
        var cursor: LocationCursor?
        while true {
            let page = try await store.locations(
                of: id, from: nil, to: nil, after: cursor, limit: Self.page, includesAhead: false)
            guard let end = page.last?.location.timestamp else { break }
            fixes += page.count
            for stored in page.sorted(by: { ReorderBuffer.precedes($0.location, $1.location) }) {
                while let record = fences.first, record.time <= stored.location.timestamp {
                    try engine.changeFence(record) { replayed.append($0) }
                    fences.removeFirst()
                }
                _ = try engine.accept(stored.location) { replayed.append($0) }
                last = stored.location.timestamp
            }
            let same = page.reversed().prefix { $0.location.timestamp == end }.count
            cursor = LocationCursor(
                timestamp: end, skip: (cursor?.timestamp == end ? cursor?.skip ?? 0 : 0) + same)
        }
        replayed += pairs
        // Events after the last fix were caused by the clock, which is not stored.
        let expected = Dictionary(
            replayed.filter { $0.detectedAt <= last || $0.occurrence.type.isOfPair }.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let kinds = Set(EventType.allCases.map(\.rawValue)).subtracting([EventType.appRelaunched.rawValue])
        var filter = HistoryFilter()
        filter.deviceID = id
        filter.holdsOnly = true
        var stored: [String: NewEvent] = [:]
        var number: Int64 = 0
        while true {
            let page = try await store.events(filter, after: number, limit: 500)
            guard let end = page.last?.number else { break }
            for item in page
            where kinds.contains(item.event.type)
                && (item.event.timestamp <= last || item.event.type.hasPrefix("proximity."))
            {
                stored[item.event.cause ?? item.event.id] = item.event
            }
            number = end
        }
        var lines: [(time: Timestamp, line: String)] = []
        for (id, event) in expected where stored[id] == nil {
            lines.append(
                (event.timestamp, line("+", event.timestamp, event.occurrence.type.rawValue, event.deviceID, id)))
        }
        for (key, event) in stored where expected[key] == nil && !replayed.contains(where: { $0.id == key }) {
            lines.append((event.timestamp, line("-", event.timestamp, event.type, id, key)))
        }
        return (fixes, stored.count, lines.sorted { ($0.time, $0.line) < ($1.time, $1.line) }.map(\.line))
    }

    /// The events of pairs, by the device that they are about: all fixes of both are compared in the order of their times.
    private func pairEvents(
        of devices: [DeviceID], in store: SQLiteStore, _ rules: [ProximityRule]
    ) async throws -> [DeviceID: [Event]] {
        guard !rules.isEmpty else { return [:] }
        var watch = ProximityWatch(rules)
        for id in devices where watch.add(id) {
            var cursor: LocationCursor?
            while true {
                let page = try await store.locations(
                    of: id, from: nil, to: nil, after: cursor, limit: Self.page, includesAhead: false)
                guard let end = page.last?.location.timestamp else { break }
                for stored in page { _ = watch.take(stored.location) }
                let same = page.reversed().prefix { $0.location.timestamp == end }.count
                cursor = LocationCursor(
                    timestamp: end, skip: (cursor?.timestamp == end ? cursor?.skip ?? 0 : 0) + same)
            }
        }
        var events: [DeviceID: [Event]] = [:]
        for change in watch.evaluate() {
            let (first, second) = (watch.id(change.pair.first), watch.id(change.pair.second))
            for transition in change.added {
                let event = transition.event(of: watch.rules[change.pair.rule], first, second)
                events[event.deviceID, default: []].append(event)
            }
        }
        return events
    }

    private func line(_ sign: String, _ time: Timestamp, _ type: String, _ device: DeviceID, _ id: String) -> String {
        var text: [UInt8] = []
        time.appendRFC3339(to: &text)
        let moment = String(decoding: text, as: UTF8.self)
        guard json else { return "\(sign) \(moment) \(type) \(device) \(id)\n" }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("change", sign == "+" ? "gained" : "lost"), ("timestamp", moment), ("type", type),
            ("deviceId", device.rawValue), ("id", id),
        ] {
            writer.name(name)
            writer.value(value)
        }
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
