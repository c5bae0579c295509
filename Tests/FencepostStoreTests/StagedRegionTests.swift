import FencepostModel
import FencepostService
import FencepostTesting
import GRDB
import Testing

@testable import FencepostStore

@Suite("Regions that are written ahead") struct StagedRegionTests {
    private static func rows(_ store: SQLiteStore) async throws -> Int {
        try await store.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM region") ?? 0 }
    }

    @Test("are gone after an end before their change", arguments: [1, 400])
    func leftovers(count: Int) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            let regions = (0..<count).map {
                StoredRegion(id: RegionID("r\($0)"), feature: "{}", addedInRevision: 1)
            }
            try await store.stage(regions, removed: [RegionID("x")], revision: 1)
            #expect(try await Self.rows(store) == count + 1)
        }
        try await withStore(scratch) { store in
            let regions = try await store.load().regions
            let rows = try await Self.rows(store)
            #expect(regions.isEmpty && rows == 0)
        }
    }

    /// Changes of any size, some of them written ahead, some given up, against a dictionary.
    @Test(
        "leave the replaced rows to the retention, which removes them all", arguments: 1...20 as ClosedRange<UInt64>
    )
    func sweep(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            var expected: [String: String] = [:]
            var position: LogPosition = 0
            var revision: UInt32 = 0
            for step in 0..<12 {
                var change = WatchChange(regionRevision: revision + 1)
                let ids = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                    "r\(Int.random(in: 0..<400, using: &random))"
                }
                let changed = Set(ids.prefix(ids.count / 2 * (step % 3))).sorted()
                change.removedRegions = Set(ids).sorted().map { RegionID($0) }
                change.regions = changed.map {
                    StoredRegion(id: RegionID($0), feature: "{\"step\":\(step)}", addedInRevision: revision + 1)
                }
                let isGivenUp = Int.random(in: 0..<4, using: &random) == 0
                if isGivenUp || Bool.random(using: &random) {
                    try await store.stage(
                        change.regions, removed: change.removedRegions, revision: change.regionRevision)
                    (change.regions, change.removedRegions, change.isStaged) = ([], [], true)
                }
                if !isGivenUp {
                    position += 1
                    revision += 1
                    try await store.apply(change, with: .of(position))
                    for id in ids { expected[id] = nil }
                    for id in changed { expected[id] = "{\"step\":\(step)}" }
                }
                if Bool.random(using: &random) { try await store.maintain(at: MadeUp.start) }
                if isGivenUp || Bool.random(using: &random) {
                    let regions = try await store.load().regions
                    #expect(Dictionary(uniqueKeysWithValues: regions.map { ($0.id.rawValue, $0.feature) }) == expected)
                }
            }
            // Versions of the past stay until their retention is over.
            #expect(try await Self.rows(store) > expected.count)
            try await store.removeOldRegions(before: .distantFuture)
            #expect(try await Self.rows(store) == expected.count)
            let regions = try await store.load().regions
            #expect(Dictionary(uniqueKeysWithValues: regions.map { ($0.id.rawValue, $0.feature) }) == expected)
        }
    }
}
