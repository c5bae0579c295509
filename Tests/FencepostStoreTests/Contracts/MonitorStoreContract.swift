import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService
import Testing

/// The behaviour of every monitor's store. Each implementation's suite runs it on an empty store.
struct MonitorStoreContract<Store: InspectableMonitorStore> {
    let store: Store

    func commits() async throws {
        #expect(try await store.load().position == 0)
        #expect(try await store.log(after: 0, limit: 10).isEmpty)
        try await store.commit(.of(1, [.at("a", 1), .at("b", 2)]))
        var second = Commit.of(2, at: 5)
        second.quarantined = [
            QuarantineEntry(
                receivedAt: second.receivedAt, format: "gpx", deviceID: nil, index: 3, code: "invalid_number",
                detail: "No number.")
        ]
        try await store.commit(second)
        var third = Commit.of(3, at: 9)
        third.advancesClock = true
        try await store.commit(third)
        #expect(try await store.load().position == 3)
        // A commit that does not change the state of a device is not replayed.
        let log = try await store.log(after: 0, limit: 10)
        #expect(log.map(\.position) == [1, 3])
        #expect(log.map(\.advancesClock) == [false, true])
        #expect(log[0].locations == [.at("a", 1), .at("b", 2)])
        #expect(log[1].receivedAt == MadeUp.start + .seconds(9))
        #expect(try await store.log(after: 0, limit: 1).map(\.position) == [1])
        #expect(try await store.log(after: 1, limit: 1).map(\.position) == [3])
        #expect(try await store.log(after: 3, limit: 1).isEmpty)
        #expect(try await store.storedQuarantine() == second.quarantined)
    }

    func refusesGaps() async throws {
        try await store.commit(.of(1, [.at("a", 1)]))
        for position: LogPosition in [1, 3] {
            await #expect(throws: (any Error).self) { try await store.commit(.of(position, [.at("a", 2)])) }
        }
        try await store.commit(.of(2, [.at("a", 3)]))
        #expect(try await store.storedLocations(of: "a") == [.at("a", 1), .at("a", 3)])
        await #expect(throws: (any Error).self) {
            try await store.apply(WatchChange(regionRevision: 1), with: .of(2))
        }
        #expect(try await store.load().regionRevision == 0)
    }

    func checkpoints() async throws {
        var commit = Commit.of(1, [.at("a", 1), .at("b", 1)])
        commit.checkpoints = [DeviceCheckpoint(deviceID: DeviceID("b"), position: 1, state: [1, 2])]
        commit.livePositions = [StoredLocation.at("c", 7).location]
        try await store.commit(commit)
        try await store.checkpoint([
            DeviceCheckpoint(deviceID: DeviceID("a"), position: 1, state: []),
            DeviceCheckpoint(deviceID: DeviceID("b"), position: 1, state: [3]),
        ])
        let state = try await store.load()
        #expect(
            state.devices == [
                DeviceCheckpoint(deviceID: DeviceID("a"), position: 1, state: []),
                DeviceCheckpoint(deviceID: DeviceID("b"), position: 1, state: [3]),
            ])
        #expect(state.livePositions == commit.livePositions)
    }

    func changes() async throws {
        try await store.commit(.of(1, [.at("a", 1), .at("b", 1)]))
        var change = WatchChange(regionRevision: 4)
        change.regions = [StoredRegion(id: RegionID("office"), feature: "{}", addedInRevision: 4)]
        change.apps = [StoredApp(id: "courier", definition: "{\"id\":\"courier\"}", steps: ["{\"do\":\"unlock\"}"])]
        change.sources = ["region/office": "1", "app/courier": "2"]
        var commit = Commit.of(2)
        commit.checkpoints = [
            DeviceCheckpoint(deviceID: DeviceID("a"), position: 2, state: [1]),
            DeviceCheckpoint(deviceID: DeviceID("b"), position: 2, state: [2]),
        ]
        try await store.apply(change, with: commit)
        var state = try await store.load()
        #expect(state.position == 2 && state.regionRevision == 4)
        #expect(state.regions == change.regions && state.apps == change.apps)
        #expect(state.sources == ["region/office": "1", "app/courier": "2"])
        #expect(state.devices.count == 2)
        // The log is not replayed across a change.
        #expect(try await store.log(after: 0, limit: 9).isEmpty)

        var next = WatchChange(regionRevision: 5)
        next.regions = [StoredRegion(id: RegionID("home"), feature: "{\"x\":1}", addedInRevision: 5)]
        next.removedRegions = [RegionID("office")]
        next.removedApps = ["courier"]
        next.removedDevices = [DeviceID("a")]
        next.sources = ["region/office": nil, "app/courier": "3"]
        try await store.apply(next, with: .of(3))
        state = try await store.load()
        #expect(state.regions == next.regions && state.apps.isEmpty)
        #expect(state.sources == ["app/courier": "3"])
        #expect(state.devices.map(\.deviceID) == [DeviceID("b")])
        // Its fixes stay.
        #expect(try await store.storedLocations(of: "a") == [.at("a", 1)])
    }

    func removesLivePositions() async throws {
        var commit = Commit.of(1)
        commit.livePositions = [StoredLocation.at("a", 7).location, StoredLocation.at("b", 8).location]
        try await store.commit(commit)
        var change = WatchChange(regionRevision: 0)
        change.removedDevices = [DeviceID("a")]
        try await store.apply(change, with: .of(2))
        #expect(try await store.load().livePositions == [StoredLocation.at("b", 8).location])
    }

    func findsStoredFixes() async throws {
        try await store.commit(.of(1, [.at("a", 1), .at("b", 1), .at("a", 2)]))
        let keys = [StoredLocation.at("a", 1), .at("a", 3), .at("b", 1), .at("b", 2)].map { FixKey($0.location) }
        #expect(try await store.stored(among: keys) == [keys[0], keys[2]])
    }

    /// Staged regions take effect with their change, and are removed without it.
    func stages() async throws {
        func region(_ id: String, _ revision: UInt32) -> StoredRegion {
            StoredRegion(id: RegionID(id), feature: "{\"in\":\(revision)}", addedInRevision: revision)
        }
        var first = WatchChange(regionRevision: 1)
        first.regions = ["a", "b", "c"].map { region($0, 1) }
        try await store.apply(first, with: .of(1))

        // The process ends before the change.
        let many = (0..<700).map { region("new/\($0)", 2) } + [region("b", 2)]
        try await store.stage(many, removed: [RegionID("a"), RegionID("b")], revision: 2)
        var state = try await store.load()
        #expect(state.regionRevision == 1)
        #expect(state.regions == first.regions)

        // The change follows after others.
        try await store.stage(many, removed: [RegionID("a"), RegionID("b")], revision: 2)
        await #expect(throws: (any Error).self) { try await store.stage(many, removed: [], revision: 2) }
        try await store.commit(.of(2, [.at("a", 1)]))
        var apps = WatchChange(regionRevision: 1)
        apps.apps = [StoredApp(id: "courier", definition: "{}")]
        try await store.apply(apps, with: .of(3))
        var second = WatchChange(regionRevision: 2)
        second.isStaged = true
        try await store.apply(second, with: .of(4))
        let expected = (many + [region("c", 1)]).sorted { $0.id < $1.id }
        state = try await store.load()
        #expect(state.regionRevision == 2 && state.apps.count == 1)
        #expect(state.regions.sorted { $0.id < $1.id } == expected)

        // A small change after it.
        var third = WatchChange(regionRevision: 3)
        third.removedRegions = [RegionID("new/0")]
        third.regions = [region("c", 3), region("a", 3)]
        try await store.apply(third, with: .of(5))
        state = try await store.load()
        #expect(
            state.regions.sorted { $0.id < $1.id }
                == (expected.filter { !["new/0", "c"].contains($0.id.rawValue) } + third.regions)
                .sorted { $0.id < $1.id })
    }

    func eventsOnce() async throws {
        var arrival = NewEvent.made("evt_1", "visit.arrived", region: nil, at: 1)
        arrival.visit = NewVisit(
            id: "vis_1", start: arrival.timestamp, end: nil, regionIDs: [RegionID("office")], body: "{\"a\":1}")
        var departure = NewEvent.made("evt_2", "visit.departed", region: nil, at: 9, sequence: 2)
        departure.visit = NewVisit(
            id: "vis_1", start: arrival.timestamp, end: departure.timestamp, regionIDs: [RegionID("office")],
            body: "{\"a\":2}")
        departure.content = .text(departure.body, why: "{\"rule\":\"x\"}")
        let decision = NewDecision(
            appID: "courier", eventID: "evt_1", deviceID: DeviceID("jane"), timestamp: arrival.timestamp, body: "{}")
        var first = Commit.of(1)
        (first.events, first.decisions) = ([arrival], [decision])
        try await store.commit(first)
        var second = Commit.of(2, at: 3)
        second.events = [departure]
        try await store.commit(second)
        // Emitted again after a crash, together with a new event.
        var again = Commit.of(3, at: 4)
        (again.events, again.decisions) = ([arrival, .made("evt_3", at: 10, sequence: 3)], [decision])
        try await store.commit(again)

        let events = try await store.storedEvents()
        #expect(events.map(\.id) == ["evt_1", "evt_2", "evt_3"])
        #expect(events[1] == departure)
        #expect(try await store.storedVisits() == [departure.visit])
        #expect(try await store.storedDecisions(of: "courier") == [decision])
    }

    func reports() async throws {
        var commit = Commit.of(1)
        commit.reports = PhoneReport.made
        try await store.commit(commit)
        #expect(try await store.storedReports() == PhoneReport.made)
    }
}

/// The behaviour of every store of history. Each implementation's suite runs it on an empty store.
struct HistoryStoreContract<Store: MonitorStore & HistoryStore> {
    let store: Store

    func numbersEvents() async throws {
        #expect(try await store.eventNumbers() == (1, 0))
        for number: LogPosition in 1...3 {
            var commit = Commit.of(number, at: number)
            commit.events = [.made("evt_\(number)", at: number, sequence: Int(number))]
            try await store.commit(commit)
        }
        let events = try await store.events(HistoryFilter(), after: 0, limit: 9)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.number < $1.number })
        #expect(events.map(\.receivedAt) == (1...3).map { MadeUp.start + .seconds($0) })
        let numbers = try await store.eventNumbers()
        #expect(numbers.oldest == events.first?.number && numbers.newest == events.last?.number)
    }

    func filtersReports() async throws {
        let reports = PhoneReport.made
        var commit = Commit.of(1)
        commit.reports = reports
        try await store.commit(commit)
        #expect(
            try await store.reports(HistoryFilter(), kind: "waypoint", after: 0, limit: 9).map(\.report)
                == [reports[1]])
        var filter = HistoryFilter()
        filter.deviceID = DeviceID("a")
        let first = try await store.reports(filter, kind: nil, after: 0, limit: 1)
        #expect(first.map(\.report) == [reports[0]])
        #expect(
            try await store.reports(filter, kind: nil, after: first[0].number, limit: 9).map(\.report)
                == [reports[2]])
    }
}

extension PhoneReport {
    /// One report of each kind, of two devices.
    fileprivate static let made = [
        PhoneReport(
            deviceID: DeviceID("a"), timestamp: MadeUp.start,
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5,
            kind: .transition(.leave, region: "Home", regionID: "h", trigger: nil)),
        PhoneReport(
            deviceID: DeviceID("b"), timestamp: MadeUp.start + .seconds(1),
            kind: .waypoint(name: "W", regionID: nil, radius: 50, createdAt: MadeUp.start)),
        PhoneReport(
            deviceID: DeviceID("a"), timestamp: MadeUp.start + .seconds(2),
            kind: .visit(arrival: nil, departure: MadeUp.start, name: nil)),
    ]
}
