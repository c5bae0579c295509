import FencepostJSON
import FencepostModel
import FencepostService
import FencepostStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import FencepostServer

/// The event stream of all partitions, with real servers.
@Suite("The stream over partitions", .timeLimit(.minutes(3))) struct PartitionStreamRouteTests {
    /// An event as a reader gets it.
    struct Received: Hashable {
        var id: String
        var data: String
    }

    /// Reads a stream in the background.
    final class Reader: ResponseBodyWriter, Sendable {
        private let text = Mutex("")
        private let pieces: AsyncStream<Void>
        private let source: AsyncStream<Void>.Continuation
        let isFinished = Mutex(false)

        init() { (pieces, source) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

        func write(_ buffer: ByteBuffer) async throws {
            text.withLock { $0 += String(buffer: buffer) }
            source.yield()
        }

        func finish(_ trailers: HTTPFields?) async throws {
            isFinished.withLock { $0 = true }
            source.finish()
        }

        var all: String { text.withLock { $0 } }

        var events: [Received] {
            all.split(separator: "\n\n").compactMap { block in
                let lines = block.split(separator: "\n")
                guard lines.count == 3, lines[0].hasPrefix("id: ") else { return nil }
                return Received(id: String(lines[0].dropFirst(4)), data: String(lines[2].dropFirst(6)))
            }
        }

        /// Waits until the text is as wanted, or the stream ends.
        func wait(until isWanted: (Reader) -> Bool) async {
            if isWanted(self) { return }
            for await _ in pieces where isWanted(self) { return }
        }

        /// Waits for two heartbeats from now: what was on its way has come by then.
        func settle() async {
            let before = beats
            await wait { $0.beats >= before + 2 }
        }

        private var beats: Int { all.split(separator: "\n\n").count { $0 == ": hb" } }
    }

    /// Reads a stream while a closure runs.
    private static func read(
        _ cluster: PartitionServers, _ query: String = "", headers: HTTPFields = [:],
        _ body: (Reader) async throws -> Void
    ) async throws {
        var request = cluster.request(.get, "/v1/stream\(query)", headers: headers)
        if query.contains("ticket=") { request.headers[.authorization] = nil }
        let begun = cluster.caller.begun
        let response = try #require(try await cluster.response(to: request))
        try #require(response.status == .ok)
        #expect(response.headers[.contentType] == "text/event-stream" && response.headers[.cacheControl] == "no-store")
        let reader = Reader()
        let task = Task { try await response.body.write(reader) }
        await reader.wait { _ in cluster.caller.begun >= begun + cluster.partitions.count }
        #expect(reader.all.hasPrefix("retry: 3000\n\n"))
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(reader))
        } catch {
            result = .failure(error)
        }
        task.cancel()
        _ = try? await task.value
        try result.get()
        #expect(cluster.caller.streams == 0)
    }

    /// Walks devices into the region, each of which gives some events.
    private static func walk(_ cluster: PartitionServers, _ devices: [String]) async throws {
        let inside = [50.0115, 50.0104, 50.0093, 50.0082, 50.0071, 50.006, 50.005]
        for device in devices {
            try await cluster.send(inside.enumerated().map { TestServer.location(device, $0, $1, 10.005) })
        }
    }

    private static func names(_ count: Int, _ prefix: String) -> [String] { (0..<count).map { "\(prefix)-\($0)" } }

    /// The events of a list, as the stream has them.
    private static func listed(_ cluster: PartitionServers) async throws -> [String] {
        let reply = try await cluster.single.get("/v1/events?limit=500&history=all")
        return try #require(PartitionPage(reply.body)).rows.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("has each event once, and goes on after any id with exactly the rest") func resumes() async throws {
        try await PartitionServers.run(3) { cluster in
            try await cluster.change(.PUT, "/v1/regions/office", TestServer.office)
            try await Self.walk(cluster, Self.names(6, "before"))
            let old = try await Self.listed(cluster).count
            #expect(old >= 6)
            var events: [Received] = []
            try await Self.read(cluster) { reader in
                try await Self.walk(cluster, Self.names(8, "then"))
                let count = try await Self.listed(cluster).count - old
                await reader.wait { $0.events.count >= count }
                await reader.settle()
                events = reader.events
                #expect(!reader.all.contains("gap") && !reader.all.contains(": at"))
            }
            let all = try await Self.listed(cluster)
            #expect(events.map(\.data).sorted() == all.filter { $0.contains("\"then-") }.sorted())
            #expect(Set(events.map(\.id)).count == events.count)
            let expected = events
            for (index, event) in events.enumerated() {
                let rest = expected.dropFirst(index + 1).map(\.data)
                try await Self.read(
                    cluster, index.isMultiple(of: 2) ? "?lastEventId=\(event.id)" : "",
                    headers: index.isMultiple(of: 2) ? [:] : [.lastEventID: event.id]
                ) { reader in
                    await reader.wait { $0.events.count >= rest.count }
                    await reader.settle()
                    #expect(reader.events.map(\.data).sorted() == rest.sorted(), "after \(event.id)")
                    #expect(!reader.all.contains("gap"))
                }
            }
            try await Self.read(cluster, "?lastEventId=0&type=region.entered") { reader in
                await reader.wait { $0.events.count >= 14 }
                await reader.settle()
                #expect(reader.events.count == 14)
                #expect(reader.events.allSatisfy { $0.data.contains("region.entered") })
            }
        }
    }

    @Test("goes on without a gap or a repeat when a partition is away for a while") func partitionIsLost() async throws
    {
        try await PartitionServers.run(3) { cluster in
            try await cluster.change(.PUT, "/v1/regions/office", TestServer.office)
            try await Self.walk(cluster, Self.names(3, "before"))
            let old = try await Self.listed(cluster).count
            try await Self.read(cluster) { reader in
                try await Self.walk(cluster, Self.names(6, "one"))
                for round in 0..<3 {
                    let lost = ClusterPartition.partition(round % 3)
                    cluster.caller.cut(lost)
                    try await Self.walk(cluster, Self.names(9, "away\(round)"))
                    let count = try await Self.listed(cluster).count - old
                    // The others go on.
                    await reader.wait { $0.events.contains { $0.data.contains("\"away\(round)-") } }
                    await reader.settle()
                    #expect(reader.events.contains { $0.data.contains("\"away\(round)-") })
                    #expect(reader.events.count < count)
                    cluster.caller.join(lost)
                    await reader.wait { $0.events.count >= count }
                }
                await reader.settle()
                let events = reader.events
                let all = try await Self.listed(cluster).filter { !$0.contains("\"before-") }
                #expect(events.map(\.data).sorted() == all.sorted())
                #expect(!reader.all.contains("gap") && !reader.isFinished.withLock { $0 })
                // Each partition's number only rises.
                let ids = events.compactMap { StreamID($0.id, partitions: 3)?.numbers }
                #expect(ids.count == events.count)
                for (a, b) in zip(ids, ids.dropFirst()) {
                    #expect(zip(a, b).allSatisfy { $0 <= $1 } && a != b)
                }
            }
        }
    }

    @Test("has the events of one device when it is asked for them") func ofOneDevice() async throws {
        try await PartitionServers.run(3) { cluster in
            try await cluster.change(.PUT, "/v1/regions/office", TestServer.office)
            let devices = Self.names(6, "van")
            try await Self.walk(cluster, devices)
            let wanted = try await Self.listed(cluster).filter { $0.contains("\"van-4\"") }
            #expect(!wanted.isEmpty)
            try await Self.read(cluster, "?deviceId=van-4&lastEventId=0") { reader in
                await reader.wait { $0.events.count >= wanted.count }
                await reader.settle()
                #expect(reader.events.map(\.data) == wanted)
            }
        }
    }

    @Test("reports a gap of a partition, and goes on with the events after it") func gap() async throws {
        try await PartitionServers.run(2) { cluster in
            try await cluster.change(.PUT, "/v1/regions/office", TestServer.office)
            try await Self.walk(cluster, Self.names(5, "a"))
            let all = try await Self.listed(cluster)
            try await Self.read(cluster, "?lastEventId=zzz.0") { reader in
                await reader.wait { $0.events.count >= all.count }
                #expect(reader.all.components(separatedBy: "event: gap\ndata: {\"oldest\":").count == 2)
                #expect(reader.events.map(\.data).sorted() == all.sorted())
                let last = try #require(reader.events.last.flatMap { StreamID($0.id, partitions: 2) })
                #expect(last.numbers[0] < 46_655)
            }
        }
    }

    @Test("accepts a ticket of a token or a session once, and ends with the session") func tickets() async throws {
        try await PartitionServers.run(2) { cluster in
            try await cluster.change(.PUT, "/v1/regions/office", TestServer.office)
            let configuration = try #require(cluster.servers[.configuration])
            let ticket = try #require(
                try await configuration.send(.POST, "/v1/stream/tickets", token: cluster.token).json["ticket"]?.string)
            try await Self.read(cluster, "?ticket=\(ticket)&explain=true") { reader in
                try await Self.walk(cluster, ["x", "y", "z"])
                await reader.wait { $0.events.count >= 3 }
                #expect(reader.events.allSatisfy { $0.data.contains("\"why\":") })
            }
            var again = cluster.request(.get, "/v1/stream?ticket=\(ticket)")
            again.headers[.authorization] = nil
            let refused = try #require(try await cluster.response(to: again))
            #expect(refused.status == .unauthorized)
            // Nobody but a node may ask for the credentials behind a ticket.
            let other = try await configuration.send(.POST, "/v1/stream/tickets", token: cluster.token)
            let unused = try #require(try other.json["ticket"]?.string)
            let stolen = try await configuration.send(
                .POST, TicketExchange.path, body: Array(unused.utf8),
                headers: [(FanOutMark.name.rawName, "guess"), ("Fencepost-Forwarded", "guess 1.2.3.4")])
            #expect(stolen.status == 404)
            try await session(cluster, configuration)
        }
    }

    private func session(_ cluster: PartitionServers, _ configuration: TestServer) async throws {
        let browser = try await SignedInBrowser.signIn(
            configuration, "sam", role: "viewer", limits: #","devices":["van-*"]"#)
        let user = try #require(try await configuration.store.users().first)
        let session = try #require(try await configuration.store.sessions(of: user.id).first)
        for partition in cluster.partitions.devices {
            let store = try #require(cluster.servers[partition]).store
            #expect(try await store.add(user))
            #expect(try await store.add(session, checkedBy: user.passwordHash))
        }
        let ticket = try #require(try await browser.send(.POST, "/v1/stream/tickets").json["ticket"]?.string)
        let stale = HTTPFields([HTTPField(name: .cookie, value: "other=1")])
        try await Self.read(cluster, "?ticket=\(ticket)", headers: stale) { reader in
            try await Self.walk(cluster, ["van-1", "car-1", "van-2", "van-3"])
            await reader.wait { $0.events.count >= 3 }
            await reader.settle()
            #expect(reader.events.allSatisfy { $0.data.contains("\"van-") })
            for server in cluster.servers.values {
                let ended = SignedInBrowser(server: server, cookie: browser.cookie)
                #expect(try await ended.send(.DELETE, "/v1/sessions/current").status == 204)
            }
            try await Self.walk(cluster, ["van-4", "van-5", "van-6", "van-7"])
            await reader.wait { $0.isFinished.withLock { $0 } }
            #expect(reader.isFinished.withLock { $0 } && !reader.all.contains("van-4"))
        }
    }
}
