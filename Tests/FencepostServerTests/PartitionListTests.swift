import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostTesting
import HTTPTypes
import Hummingbird
import Synchronization
import Testing

@testable import FencepostServer

/// Lists that are merged over partitions, with partitions in memory.
@Suite("Merged lists") struct PartitionListTests {
    private static func question(_ fake: FakePartitions, _ partitions: Int, _ query: String) -> PartitionQuestion {
        let request = PartitionRequest(
            method: .get, target: "/v1/list?\(query)", headers: [:], client: "127.0.0.1", isRepeatable: true)
        return PartitionQuestion(
            request: request, path: "/v1/list", query: Query(query) ?? Query(),
            partitions: Partitioning(count: partitions), caller: fake,
            mark: HTTPField(name: FanOutMark.name, value: "k"))
    }

    private static func fanOut(_ fake: FakePartitions, _ partitions: Int) -> PartitionFanOut {
        PartitionFanOut(
            partitions: Partitioning(count: partitions), caller: fake, key: "k",
            now: { Timestamp(milliseconds: 0) })
    }

    /// Reads a list to its end, with other limits for each page.
    private static func read(
        _ fake: FakePartitions, _ partitions: Int, using random: inout SeededGenerator,
        between: (_ lastTime: Int64, inout SeededGenerator) -> Void = { _, _ in }
    ) async throws -> [String] {
        let fanOut = fanOut(fake, partitions)
        var (rows, cursor): ([String], String?) = ([], nil)
        repeat {
            let limit = Int.random(in: 1...12, using: &random)
            let query = "limit=\(limit)&order=\(fake.direction.rawValue)" + (cursor.map { "&cursor=\($0)" } ?? "")
            let answer = try await fanOut.page(
                question(fake, partitions, query), by: fake.order, withConfiguration: fake.withConfiguration)
            let page = try #require(PartitionPage(answer.bytes))
            #expect(page.rows.count <= limit)
            rows += page.rows.map { String(decoding: $0.bytes, as: UTF8.self) }
            cursor = page.root["nextCursor"]?.string
            #expect((answer.headers[.link] == nil) == (cursor == nil))
            if let cursor { #expect(answer.headers[.link]?.contains("cursor=\(cursor)>; rel=\"next\"") == true) }
            let last = page.rows.last?.value["at"]?.string
            between(last.flatMap { Timestamp(rfc3339: $0)?.milliseconds } ?? 0, &random)
        } while cursor != nil
        return rows
    }

    @Test("have every row once and in order, whatever is added meanwhile", arguments: 0..<60)
    func mergesAll(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let partitions = Int.random(in: 2...7, using: &random)
        let orders: [RowOrder] = [.cursorTime, .id("id"), .time("at")]
        let fake = FakePartitions(
            partitions, by: orders[Int(seed) % orders.count], withConfiguration: seed.isMultiple(of: 4))
        var (time, count) = (Int64(0), 0)
        func add(_ random: inout SeededGenerator) {
            time += Int64.random(in: 0...2, using: &random)
            // Ids rise, so that what is added is behind every page.
            let id = String(100_000 + count)
            count += 1
            let last = fake.withConfiguration ? partitions : partitions - 1
            fake.add(time: time, to: Int.random(in: 0...last, using: &random), id: id)
        }
        for _ in 0..<Int.random(in: 0...60, using: &random) { add(&random) }
        let rows = try await Self.read(fake, partitions, using: &random) { _, random in
            if count < 120 { for _ in 0..<Int.random(in: 0...3, using: &random) { add(&random) } }
        }
        // Rows that come after the last page are not part of it.
        let later = fake.all.filter { !rows.contains($0.json) }
        #expect(Set(rows).count == rows.count)
        let read = fake.all.filter { rows.contains($0.json) }
        #expect(read.count == rows.count)
        let byRow = Dictionary(uniqueKeysWithValues: fake.all.map { ($0.json, $0) })
        let times = rows.compactMap { byRow[$0]?.time }
        #expect(times == times.sorted())
        for row in later { #expect(row.time >= times.last ?? 0) }
        if case .id = fake.order { #expect(rows == rows.sorted()) }
    }

    @Test("have every row once when earlier rows are added meanwhile", arguments: 0..<30)
    func earlierRows(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let partitions = Int.random(in: 2...5, using: &random)
        let fake = FakePartitions(partitions, by: .cursorTime, seed % 2 == 0 ? .ascending : .descending)
        var count = 0
        func add(_ random: inout SeededGenerator) {
            fake.add(
                time: Int64.random(in: 0...50, using: &random), to: Int.random(in: 0..<partitions, using: &random),
                id: String(count))
            count += 1
        }
        for _ in 0..<50 { add(&random) }
        let before = fake.all.map(\.json)
        let rows = try await Self.read(fake, partitions, using: &random) { _, random in
            if count < 100 { add(&random) }
        }
        #expect(Set(rows).count == rows.count)
        #expect(Set(before).isSubset(of: rows))
        let times = Dictionary(uniqueKeysWithValues: fake.all.map { ($0.json, $0.time) })
        let read = rows.filter(Set(before).contains).compactMap { times[$0] }
        #expect(read == read.sorted(by: fake.direction == .ascending ? (<) : (>)))
    }

    @Test("are the reverse when the newest come first", arguments: 0..<30) func reverse(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let partitions = Int.random(in: 2...5, using: &random)
        let lists = HistoryOrder.allCases.map { FakePartitions(partitions, by: .cursorTime, $0) }
        for number in 0..<60 {
            // Several of one time, in one partition and in several.
            let (time, partition) = (
                Int64.random(in: 0...9, using: &random), Int.random(in: 0..<partitions, using: &random)
            )
            for list in lists { list.add(time: time, to: partition, id: String(number)) }
        }
        let rows = try await Self.read(lists[0], partitions, using: &random)
        let reversed = try await Self.read(lists[1], partitions, using: &random)
        #expect(rows.count == 60 && reversed == rows.reversed())
    }

    @Test("find what one partition has, and do not take a failure for its absence") func oneHasIt() async throws {
        let fake = FakePartitions(3, by: .cursorTime)
        let request = PartitionRequest(
            method: .get, target: "/v1/events/x", headers: [:], client: "", isRepeatable: true)
        func status(_ missing: Set<Int>, _ failing: Int?) async throws -> HTTPResponse.Status? {
            fake.missing.withLock { $0 = missing }
            fake.failure.withLock { $0 = failing.map { ($0, .serviceUnavailable) } }
            return try await Self.fanOut(fake, 3).answer(request, path: "/v1/events/x", query: "")?.status
        }
        #expect(try await status([0, 1, 3], nil) == .ok)
        #expect(try await status([0, 1, 2, 3], nil) == .notFound)
        #expect(try await status([0, 1, 3], 2) == .serviceUnavailable)
        #expect(try await status([0, 3], 1) == .ok)
        // What the configuration has alone.
        #expect(try await status([0, 1, 2], nil) == .ok)
        #expect(try await status([0, 1, 2], 3) == .serviceUnavailable)
    }

    @Test("fail when one partition fails") func oneFails() async throws {
        let fake = FakePartitions(3, by: .cursorTime)
        fake.failure.withLock { $0 = (2, .serviceUnavailable) }
        let request = PartitionRequest(method: .get, target: "/v1/events", headers: [:], client: "", isRepeatable: true)
        let response = try await Self.fanOut(fake, 3).answer(request, path: "/v1/events", query: "")
        #expect(response?.status == .serviceUnavailable && response?.headers[.retryAfter] == "2")
        fake.failure.withLock { $0 = (2, .forbidden) }
        for path in ["/v1/devices", "/v1/profiles", "/v1/trips", "/v1/stream", "/v1/shared"] {
            let response = try await Self.fanOut(fake, 3).answer(request, path: path, query: "")
            #expect(response?.status == .forbidden, "\(path)")
        }
    }

    @Test("refuse a cursor of another cluster, of one partition, and any that was changed", arguments: 0..<40)
    func garbage(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fake = FakePartitions(3, by: .cursorTime)
        for number in 0..<20 { fake.add(time: Int64(number), to: number % 3, id: String(number)) }
        func status(_ cursor: String) async throws -> HTTPResponse.Status {
            do {
                return try await Self.fanOut(fake, 3)
                    .page(Self.question(fake, 3, "limit=5&cursor=\(cursor)"), by: .cursorTime).status
            } catch let refusal as PartitionRefusal {
                return refusal.answer.status
            }
        }
        let position = Cursor.encode(TimeCursor(timestamp: Timestamp(milliseconds: 3), number: 1))
        let valid = PartitionCursor.encode([position, nil, position])
        #expect(try await status(valid) == .ok)
        for other in [
            position, PartitionCursor.encode([position, nil]), PartitionCursor.encode([nil, nil, nil, position]), "x",
            "~",
        ] {
            #expect(try await status(other) == .badRequest, "\(other)")
        }
        var bytes = Array(valid.utf8)
        let index = Int.random(in: bytes.indices, using: &random)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        bytes[index] = letters.filter { $0 != bytes[index] }.randomElement(using: &random) ?? 0
        #expect(try await status(String(decoding: bytes, as: UTF8.self)) == .badRequest)
        #expect(try await status(String(valid.dropLast(Int.random(in: 1...4, using: &random)))) == .badRequest)
    }

    @Test("have cursors for 256 partitions that the API accepts") func longCursor() {
        let position = Cursor.encode(TimeCursor(timestamp: .distantFuture, number: 99_999_999))
        let cursor = PartitionCursor.encode(Array(repeating: position, count: 256))
        #expect(cursor.utf8.count <= 16_384)
        #expect(PartitionCursor.decode(cursor, partitions: 256)?.allSatisfy { $0 == position } == true)
    }

    @Test("Each route is found by its path, in the outline as in a server") func everyRoute() async throws {
        func rule(_ method: HTTPRequest.Method, _ path: String) -> PartitionRule? {
            API.outline.match(method, path)?.route.partition
        }
        for route in API.outline.routes {
            let path = route.path.replacing(#/\{[a-z]+\}/#, with: "a%2Fb")
            #expect(API.outline.match(route.method, path)?.route.name == route.name, "\(route.title)")
        }
        #expect(rule(.get, "/v1/sessions/current") == .configuration)
        #expect(rule(.head, "/v1/events") == .pages(.cursorTime, withConfiguration: true))
        #expect(rule(.get, "/v1/events/") == nil && rule(.get, "/v1/nothing") == nil)
        #expect(rule(.put, "/v1/events") == nil)
        try await TestServer.run { server in
            #expect(server.server.routeNames == API.outline.routes.map(\.title))
        }
    }
}
