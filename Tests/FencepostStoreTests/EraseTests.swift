import FencepostFormats
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Testing

@testable import FencepostStore

@Suite("Erasing a device") struct EraseTests {
    /// A name that is written otherwise in JSON and in paths.
    static let canary = "canary \"7\"/phöne"

    private func fill(_ store: SQLiteStore, seed: UInt64) async throws {
        var made = MadeUp(seed: seed)
        try await store.save(Endpoint.made())
        let devices = (0..<20).map { "other-\($0)" } + [Self.canary]
        let json = "canary \\\"7\\\"/phöne"
        for position in 1...120 as ClosedRange<LogPosition> {
            var commit = Commit.of(position, at: position, (0..<30).map { _ in made.location(devices) })
            for index in commit.locations.indices
            where commit.locations[index].location.deviceID.rawValue == Self.canary {
                commit.locations[index].location.trigger = "canary-trigger"
            }
            for (number, device) in ["other-1", Self.canary, nil].enumerated() {
                var event = NewEvent.made("evt_\(position)_\(number)", device: device, at: position)
                let body =
                    "{\"deviceId\":\"\(device == "other-1" ? "other-1" : json)\",\"pad\":\"\(String(repeating: "x", count: Int.random(in: 0...2000, using: &made.random)))\"}"
                event.content = .text(body, why: body)
                if device != nil {
                    event.visit = NewVisit(
                        id: "vis_\(position)_\(number)", start: event.timestamp, end: nil, regionIDs: [],
                        body: event.body)
                }
                commit.events.append(event)
                var delivery = NewDelivery.made(event.id, device: device)
                delivery.body = event.body
                commit.deliveries.append(delivery)
                guard let device else { continue }
                commit.decisions.append(
                    NewDecision(
                        appID: "app", eventID: event.id, deviceID: DeviceID(device), timestamp: event.timestamp,
                        body: event.body))
                commit.quarantined.append(
                    QuarantineEntry(
                        receivedAt: commit.receivedAt, format: "gpx", deviceID: DeviceID(device), index: 0, code: "x",
                        detail: event.body))
                commit.reports.append(
                    PhoneReport(
                        deviceID: DeviceID(device), timestamp: event.timestamp,
                        kind: .visit(arrival: nil, departure: nil, name: event.body)))
            }
            let canary = DeviceID(Self.canary)
            // Rows with fixes and rows without name the devices whose deadlines were evaluated.
            if position.isMultiple(of: 5) { commit.locations = [] }
            if position.isMultiple(of: 3) || commit.locations.isEmpty {
                (commit.advancesClock, commit.clockDevices) = (true, [DeviceID("other-2"), canary])
            }
            commit.snapshots = [
                DeviceSnapshot(
                    deviceID: canary, time: commit.receivedAt, revision: 0, state: Array("canary-snapshot".utf8))
            ]
            commit.evaluations = [
                EvaluationTask(
                    canary, from: commit.receivedAt, through: commit.receivedAt, receivedAt: commit.receivedAt,
                    cause: .lateLocations)
            ]
            commit.imported = [[.at(Self.canary, position + 5000)]]
            commit.livePositions = [StoredLocation.at(Self.canary, position).location]
            commit.checkpoints = [
                DeviceCheckpoint(
                    deviceID: DeviceID(Self.canary), position: position - 60, state: Array("canary-state".utf8))
            ]
            try await store.commit(commit)
            if position == 50 { try await store.maintain(at: MadeUp.start, isForced: true) }
        }
        let job = ImportJob(
            id: "imp_1", file: Self.canary, format: "csv", createdAt: MadeUp.start, locations: 2, ignored: 0,
            rejected: "[]")
        try await store.add(job)
        let others = [StoredLocation.at("other-1", 6000), .at(Self.canary, 6001)].map(\.location)
        try await store.stage(others, number: 0, of: "imp_1")
        try await store.begin(job)
        for delivery in try await store.due(for: "ops", at: .distantFuture, excluding: [], limit: 200) {
            let attempt = DeliveryAttempt(
                number: 1, startedAt: MadeUp.start, duration: .zero, excerpt: delivery.deviceID?.rawValue)
            try await store.settle([Settlement(delivery.id, .delivered, attempt: attempt)], events: [], deliveries: [])
        }
        let key = IdempotencyKey(tokenID: "t", route: "POST /v1/devices/canary%20%227%22%2Fph%C3%B6ne", key: "1")
        #expect(try await store.claim(key, requestHash: [1], now: MadeUp.start) == .first)
        try await store.complete(key, status: 200, headers: [:], body: Array(json.utf8))
        let other = IdempotencyKey(tokenID: "t", route: "POST /v1/locations", key: "2")
        #expect(try await store.claim(other, requestHash: [1], now: MadeUp.start) == .first)
        try await store.complete(other, status: 200, headers: ["x": "y"], body: [1])
    }

    /// Where a word is in the files of the database.
    private func traces(of word: String, _ scratch: Scratch) throws -> [String] {
        try scratch.bytes().filter { $0.value.range(of: Data(word.utf8)) != nil }.map(\.key)
    }

    @Test(
        "leaves no trace of it in any file, and all of the others",
        arguments: SeedShare.of(1...8 as ClosedRange<UInt64>))
    func canary(seed: UInt64) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await fill(store, seed: seed)
            #expect(try !traces(of: "canary", scratch).isEmpty)
            let before = try await store.locations(of: DeviceID("other-3"), from: nil, to: nil, after: nil, limit: 9999)
            let log = try await store.log(after: 0, limit: 999)
            try await store.apply(Self.forget, with: .of(121))
            try await store.erase(DeviceID(Self.canary))
            for word in ["canary", "Canary", "phöne", "ph%C3%B6ne"] { #expect(try traces(of: word, scratch) == []) }

            // What comes after does not bring it back out of a cache.
            var next = Commit.of(122, (0..<50).map { .at("late-\($0)", 9000) })
            next.events = (0..<50).map { .made("evt_next\($0)", device: "late-\($0)") }
            next.deliveries = next.events.map { .made($0.id, device: "other-1") }
            try await store.commit(next)
            for event in next.events { #expect(try await store.event(id: event.id) != nil) }
            let fine = try await store.writeWithoutTransaction { db in
                try SQLiteStore.checkpoint(db) ? try String.fetchAll(db, sql: "PRAGMA integrity_check") : []
            }
            #expect(fine == ["ok"])
            for word in ["canary", "Canary", "phöne"] { #expect(try traces(of: word, scratch) == []) }

            let id = DeviceID(Self.canary)
            #expect(try await store.locations(of: id, from: nil, to: nil, after: nil, limit: 9).isEmpty)
            #expect(
                try await store.locations(of: DeviceID("other-3"), from: nil, to: nil, after: nil, limit: 9999)
                    == before)
            #expect(try await store.events(HistoryFilter(), after: 0, limit: 999).count == 170)
            #expect(try await store.visits(HistoryFilter(), after: 0, limit: 999).count == 120)
            #expect(
                try await store.deliveries(endpoint: nil, status: nil, event: nil, after: 0, limit: 999).count == 170)
            #expect(!log.isEmpty)
            // Others' fixes are all there still, and only they.
            try await store.maintain(at: MadeUp.start, isForced: true)
            #expect(
                try await store.locations(of: DeviceID("other-3"), from: nil, to: nil, after: nil, limit: 9999)
                    == before)
            let other = IdempotencyKey(tokenID: "t", route: "POST /v1/locations", key: "2")
            #expect(
                try await store.claim(other, requestHash: [1], now: MadeUp.start)
                    == .done(status: 200, headers: ["x": "y"], body: [1]))
        }
        for word in ["canary", "phöne"] { #expect(try traces(of: word, scratch) == []) }
        // The device may come again.
        try await withStore(scratch) { store in
            let position = try await store.load().position
            try await store.commit(.of(position + 1, [.at(Self.canary, 1)]))
            #expect(
                try await store.locations(of: DeviceID(Self.canary), from: nil, to: nil, after: nil, limit: 9)
                    == [.at(Self.canary, 1)])
        }
    }

    private static var forget: WatchChange {
        var change = WatchChange(regionRevision: 1)
        change.removedDevices = [DeviceID(canary)]
        return change
    }
}
