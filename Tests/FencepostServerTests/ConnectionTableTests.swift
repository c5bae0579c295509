import FencepostModel
import FencepostServiceTesting
import FencepostTesting
import Synchronization
import Testing

@testable import FencepostServer

@Suite("Open connections") struct ConnectionTableTests {
    private static func table(_ limit: Int, _ addressLimit: Int = 100, _ reserve: Int = 2) -> ConnectionTable {
        ConnectionTable(limit: limit, addressLimit: addressLimit, reserve: reserve)
    }

    @Test("beyond the limit replace the one that is idle longest") func leastRecentlyIdle() {
        var table = Self.table(3)
        let ids = (0..<3).map { _ in table.open(from: "a").id }
        table.setBusy(ids[0])
        table.setIdle(ids[0])
        #expect(table.open(from: "b").decision == .init(admission: .admitted, shed: ids[1], reason: .total))
        #expect(table.open(from: "b").decision.shed == ids[2])
        #expect(table.open(from: "b").decision.shed == ids[0])
        #expect(table.count == 3)
    }

    @Test("are kept while they are busy: the reserve is for health checks, and then they are refused") func reserve() {
        var table = Self.table(2)
        for _ in 0..<2 { table.setBusy(table.open(from: "a").id) }
        var reserve: [ConnectionTable.ID] = []
        for _ in 0..<2 {
            let (id, decision) = table.open(from: "b")
            #expect(decision == .init(admission: .healthOnly, shed: nil, reason: .total))
            table.setBusy(id)
            reserve.append(id)
        }
        #expect(table.open(from: "c").decision == .init(admission: .refused, shed: nil, reason: .total))
        #expect(table.count == 4)
        table.close(reserve[0])
        #expect(table.open(from: "c").decision.admission == .healthOnly)
    }

    @Test("of one address beyond its limit replace those of that address only") func address() {
        var table = Self.table(100, 2)
        let other = table.open(from: "b").id
        let own = (0..<2).map { _ in table.open(from: "a").id }
        #expect(table.open(from: "a").decision == .init(admission: .admitted, shed: own[0], reason: .address))
        #expect(table.shed(atMost: 1) == [other])
    }

    @Test(
        "never exceed the limits, and are all known, for any course of events", arguments: 1...50 as ClosedRange<UInt64>
    )
    func invariants(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Self.table(20, 8, 3)
        var open: [ConnectionTable.ID: (address: String, isIdle: Bool)] = [:]
        for _ in 0..<2000 {
            let id = open.keys.sorted().randomElement(using: &random)
            switch (Int.random(in: 0..<5, using: &random), id) {
            case (1, let id?):
                table.close(id)
                open[id] = nil
            case (2, let id?):
                table.setBusy(id)
                open[id]?.isIdle = false
            case (3, let id?):
                table.setIdle(id)
                open[id]?.isIdle = true
            default:
                let address = "a\(Int.random(in: 0..<4, using: &random))"
                let (id, decision) = table.open(from: address)
                if let shed = decision.shed {
                    #expect(open.removeValue(forKey: shed)?.isIdle == true)
                }
                if decision.admission != .refused { open[id] = (address, true) }
                if decision.admission == .admitted { #expect(open.count <= 20) }
            }
            #expect(table.count == open.count && open.count <= 23)
            for address in 0..<4 { #expect(open.values.count { $0.address == "a\(address)" } <= 11) }
        }
    }
}

@Suite("Too many connections", .timeLimit(.minutes(1)), .enabled(if: !TestServer.isClustered))
struct ManyConnectionsTests {
    private static func answer(_ server: TestServer, _ path: String) async throws -> String {
        let text = Mutex("")
        try await RawConnection.open(server.port) { inbound, outbound in
            try await outbound.write("GET \(path) HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            let read = try await inbound.readToEnd()
            text.withLock { $0 = read }
        }
        return text.withLock { $0 }
    }

    @Test("that are silent shut nobody out, and make one line and one metric") func silent() async throws {
        try await TestServer.run({ $0.limits.connections = 20 }) { server in
            let (opened, open) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await RawConnection.open(server.port) { inbound, _ in
                            open.yield()
                            _ = try await inbound.readToEnd()
                        }
                    }
                }
                var iterator = opened.makeAsyncIterator()
                for _ in 0..<60 { await iterator.next() }
                for _ in 0..<30 {
                    let answer = try await Self.answer(server, "/healthz")
                    #expect(answer.hasPrefix("HTTP/1.1 200"))
                }
                let lines = server.log.lines.withLock { $0 }
                #expect(lines.count { $0.contains("too many connections") } == 1)
                group.cancelAll()
            }
        }
    }

    @Test("that are busy leave a reserve for the health, and get 503 for everything else") func busy() async throws {
        try await TestServer.run({ ($0.limits.connections, $0.limits.reserve) = (2, 8) }) { server in
            let (streaming, streams) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await RawConnection.open(server.port) { inbound, outbound in
                            try await outbound.write(
                                "GET /v1/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(server.token)\r\n\r\n")
                            _ = try await inbound.read(until: "retry:")
                            streams.yield()
                            _ = try await inbound.readToEnd()
                        }
                    }
                }
                var iterator = streaming.makeAsyncIterator()
                for _ in 0..<2 { await iterator.next() }
                let refused = try await Self.answer(server, "/v1/version")
                #expect(refused.hasPrefix("HTTP/1.1 503"))
                #expect(refused.contains("too_many_connections") && refused.lowercased().contains("retry-after: 5"))
                let health = try await Self.answer(server, "/healthz")
                #expect(health.hasPrefix("HTTP/1.1 200"))
                group.cancelAll()
            }
        }
    }

    @Test("of one token to the stream get 429") func streams() async throws {
        try await TestServer.run({ $0.limits.streamsPerToken = 0 }) { server in
            let reply = try await server.get("/v1/stream")
            #expect(reply.status == 429 && reply.code == "too_many_streams" && reply["Retry-After"] == "5")
        }
    }

    @Test("are fewer where the process may open fewer descriptors") func descriptors() {
        #expect(ConnectionLimits().bounded(byDescriptors: 1_000_000).connections == 10_000)
        #expect(ConnectionLimits().bounded(byDescriptors: 1024).connections == 768)
        #expect(ConnectionLimits().bounded(byDescriptors: 100).connections == 25)
        #expect(ConnectionLimits().bounded(byDescriptors: 1024).connectionsPerAddress == 768)
    }
}

@Suite("Places of the stream") struct StreamSeatsTests {
    @Test("are limited in all and per token, and are free again") func slots() {
        let slots = StreamLimit(limit: 3, ownerLimit: 2)
        var taken = [slots.take("a"), slots.take("a")]
        #expect(taken.allSatisfy { $0 != nil } && slots.take("a") == nil)
        let other = slots.take("b")
        #expect(other != nil && slots.take("c") == nil)
        taken.removeLast()
        #expect(slots.take("a") != nil)
        withExtendedLifetime((taken, other)) {}
    }
}
