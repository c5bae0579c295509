import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostTracing
import FencepostTransport
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import FencepostServer

/// The ports of a cluster's node: requests to a node that does not lead, and what happens to them when the leader changes.
@Suite("Node routers") struct NodeRouterTests {
    static let key = Array("0123456789abcdef0123456789abcdef".utf8)

    /// Sends a request as another node of the cluster does.
    static func sendAsNode(
        to url: String, _ method: String, _ target: String, client: String = Forwarding.ownClient,
        part: ClusterPartition? = nil, key: [UInt8] = NodeRouterTests.key, body: [UInt8]? = nil,
        headers: [(String, String)] = []
    ) async throws -> HTTPClientResponse {
        var signature = NodeSignature(client: client, part: part, body: body ?? [])
        signature.run = .random(in: .min ... .max)
        while true {
            signature.number += 1
            var request = HTTPClientRequest(method, url + target, body: body)
            request.headers = headers.map { (name: $0.0, value: $0.1) }
            request.headers.append(
                (NodeSignature.name.rawName, signature.value(method: method, target: target, key: key)))
            let answer = try await HTTPClient.shared.response(to: request)
            let session = answer.header(NodeSignature.sessionName.rawName).flatMap { UInt64($0, radix: 16) }
            guard let session, signature.number == 1 else { return answer }
            signature.session = session
        }
    }

    /// The ports of a node while a closure runs.
    struct Node: RouterNode {
        let router: NodeRouter
        let port: Int
        let upstream: SharedUpstream
    }

    /// What a node knows of the cluster, as a test sets it.
    final class SharedUpstream: Sendable {
        private let state = Mutex((NodeRouter.Upstream(leader: nil, problem: nil), 0))

        var value: NodeRouter.Upstream {
            state.withLock { state in
                state.1 += 1
                return state.0
            }
        }
        /// How often it was asked for.
        var reads: Int { state.withLock { $0.1 } }

        func set(leader: String?, problem: String? = nil) {
            state.withLock { $0.0 = NodeRouter.Upstream(leader: leader, problem: problem) }
        }
    }

    static func run(
        holdTime: Duration = .seconds(60), tracer: Tracer? = nil,
        copy: @escaping @Sendable () throws -> String = { throw CancellationError() },
        _ body: @escaping @Sendable (Node) async throws -> Void
    ) async throws {
        var settings = ServerSettings()
        settings.port = 0
        let upstream = SharedUpstream()
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let router = NodeRouter(
            settings, limits: ConnectionLimits(), logger: logger, now: { TestServer.now }, metricsText: { "own 1\n" },
            holdTime: holdTime, tracer: tracer, upstream: { _ in upstream.value }, makeCopy: { _ in try copy() },
            onListening: { continuation.yield($0) })
        router.setKey(key)
        let group = ServiceGroup(services: [router], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                let result: Result<Void, any Error>
                do {
                    result = .success(try await body(Node(router: router, port: port, upstream: upstream)))
                } catch {
                    result = .failure(error)
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return try result.get()
            }
        }
    }

    /// Two nodes, of which the first leads.
    static func withCluster(
        _ body: @escaping @Sendable (_ leader: TestServer, _ follower: Node) async throws -> Void
    ) async throws {
        try await run { leader in
            try await TestServer.run {
                $0.router = leader.router.attachment(.partition(0))
            } _: { server in
                try await run { follower in
                    follower.upstream.set(leader: leader.url)
                    try await body(server, follower)
                }
            }
        }
    }

    @Test("A node that does not lead answers as the leader does")
    func forwards() async throws {
        try await Self.withCluster { leader, follower in
            _ = try await leader.put("/v1/regions/office", TestServer.office)
            for (method, path) in [
                ("GET", "/v1/regions?limit=5"), ("GET", "/v1/regions/office"), ("HEAD", "/v1/regions/office"),
                ("GET", "/v1/regions/none%2F%20x"), ("DELETE", "/v1/nothing"), ("GET", "/"), ("GET", "/openapi.json"),
                ("GET", "/v1/devices?cursor=%00"),
            ] {
                let direct = try await leader.send(HTTPMethod(rawValue: method), path)
                let sent = try await follower.send(method, path, token: leader.token)
                #expect(sent.status == direct.status, "\(method) \(path)")
                #expect(sent.body == direct.body, "\(method) \(path)")
                let changing = ["date", "x-request-id", "x-ratelimit-remaining", "ratelimit"]
                let names = Set(sent.headers.map { $0.name.lowercased() }).subtracting(changing)
                #expect(names == Set(direct.headers.map { $0.name.lowercased() }).subtracting(changing))
                for name in names { #expect(sent.header(name) == direct[name], "\(method) \(path) \(name)") }
            }
            let stored = try await follower.send(
                "POST", "/v1/locations", "{\"locations\":[\(TestServer.location("jane", 1, 50, 10))]}",
                token: leader.token)
            #expect(stored.status == 200)
            #expect(try await leader.get("/v1/locations?deviceId=jane").json["data"]?.array?.count == 1)
        }
    }

    @Test("Large bodies are sent on, and one that is too large is refused")
    func largeBodies() async throws {
        try await Self.withCluster { leader, follower in
            let features = (0..<12_000).map {
                #"{"type":"Feature","id":"r\#($0)","properties":{"name":"A region with a long name"},"#
                    + #""geometry":{"type":"Point","coordinates":[\#(Double($0) / 1000),50]}}"#
            }
            let body = #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
            #expect(body.utf8.count > 1 << 20)
            let sent = try await follower.send("POST", "/v1/regions", body, token: leader.token)
            let direct = try await leader.send(
                .POST, "/v1/regions", body: Array(body.utf8), type: "application/json")
            #expect(sent.status == direct.status)
            let tooLarge = try await follower.send(
                "POST", "/v1/locations", String(repeating: " ", count: 40 << 20), token: leader.token)
            #expect(tooLarge.status == 413)
        }
    }

    @Test("Requests wait for a leader, and the node that becomes it answers them itself")
    func holds() async throws {
        try await Self.run { node in
            let held = Task { try await node.send("GET", "/v1/version").status }
            // Until the request waits.
            while node.upstream.reads < 3 { await Task.yield() }
            try await TestServer.run {
                $0.router = node.router.attachment(.partition(0))
            } _: { _ in
                let status = try await held.value
                #expect(status == 200)
                #expect(try await node.send("GET", "/v1/version").status == 200)
            }
            // It leads no longer, and another one does.
            try await Self.withCluster { leader, _ in
                async let held = node.send(
                    "POST", "/v1/locations", "{\"locations\":[\(TestServer.location("jane", 1, 50, 10))]}",
                    token: leader.token)
                let reads = node.upstream.reads
                while node.upstream.reads < reads + 3 { await Task.yield() }
                node.upstream.set(leader: "http://127.0.0.1:\(leader.port)")
                let status = try await held.status
                #expect(status == 200)
            }
        }
    }

    @Test("A request that no node handles in time is answered with 503")
    func givesUp() async throws {
        try await Self.run(holdTime: .milliseconds(30)) { node in
            let refused = try await node.send("GET", "/v1/version")
            #expect(refused.status == 503)
            #expect(refused.header("retry-after") == "2")
            #expect(String(decoding: refused.body, as: UTF8.self).contains("not_leading"))
            // Nobody listens there.
            node.upstream.set(leader: "http://127.0.0.1:9")
            #expect(try await node.send("GET", "/v1/version").status == 503)
            // Another node took this one for the leader: it is not sent on, and says that it was not handled.
            let looped = try await Self.sendAsNode(to: node.url, "GET", "/v1/version", client: "10.0.0.7")
            #expect(looped.status == 503)
            #expect(looped.header("fencepost-unhandled") == "1")
            node.upstream.set(leader: nil, problem: "The copy differs.")
            let failed = try await node.send("GET", "/v1/version")
            #expect(failed.status == 503)
            #expect(String(decoding: failed.body, as: UTF8.self).contains("The copy differs."))
        }
    }

    /// Accepts connections, reads and closes them.
    private final class Hangup: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let onRead: @Sendable () -> Void

        init(_ onRead: @escaping @Sendable () -> Void) { self.onRead = onRead }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            onRead()
            context.close(promise: nil)
        }
    }

    @Test("A request of a lost leader goes to one other node, if it may be done twice")
    func lost() async throws {
        let onLoss = Mutex<@Sendable () -> Void>({})
        let losses = Mutex(0)
        let dying = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.pipeline.addHandler(
                    Hangup {
                        losses.withLock { $0 += 1 }
                        onLoss.withLock(\.self)()
                    })
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(dying.localAddress?.port)
        try await Self.withCluster { leader, follower in
            let upstream = follower.upstream
            upstream.set(leader: "http://127.0.0.1:\(port)")
            let body = "{\"locations\":[\(TestServer.location("jane", 1, 50, 10))]}"
            let token = #"{"name":"t","scopes":["read"]}"#
            let refused = try await follower.send("POST", "/v1/tokens", token, token: leader.token)
            #expect(refused.status == 503)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("may have been done"))
            #expect(losses.withLock(\.self) == 1)
            // It may be what ends them.
            let ending = try await follower.send("POST", "/v1/locations", body, token: leader.token)
            #expect(ending.status == 503)
            #expect(losses.withLock(\.self) == 3)
            onLoss.withLock { $0 = { upstream.set(leader: "http://127.0.0.1:\(leader.port)") } }
            #expect(try await follower.send("POST", "/v1/locations", body, token: leader.token).status == 200)
            #expect(losses.withLock(\.self) == 4)
            // A process that has ended was sent nothing: the request waits for the next leader.
            upstream.set(leader: "http://127.0.0.1:9")
            async let waiting = follower.send("POST", "/v1/tokens", token, token: leader.token)
            let reads = upstream.reads
            while upstream.reads < reads + 20 { await Task.yield() }
            upstream.set(leader: "http://127.0.0.1:\(leader.port)")
            let status = try await waiting.status
            #expect(status == 201)
        }
        try await dying.close()
    }

    @Test("An event stream of another node ends with its leader")
    func streams() async throws {
        try await Self.run { node in
            try await Self.run { follower in
                follower.upstream.set(leader: node.url)
                let hasEvent = Flag()
                let events = Mutex<Task<HTTPClientResponse, any Error>?>(nil)
                try await TestServer.run {
                    $0.router = node.router.attachment(.partition(0))
                } _: { leader in
                    events.withLock {
                        $0 = Task {
                            var request = HTTPClientRequest("GET", follower.url + "/v1/stream?lastEventId=0")
                            request.headers.append(("Authorization", "Bearer \(leader.token)"))
                            request.isEnough = { body in
                                if String(decoding: body, as: UTF8.self).contains("region.entered") { hasEvent.set() }
                                return false
                            }
                            return try await HTTPClient.shared.response(to: request)
                        }
                    }
                    try await leader.walkIn("jane")
                    while !hasEvent.isSet { await Task.yield() }
                }
                let reading = events.withLock { $0 }
                let response = try await reading?.value
                #expect(response?.status == 200)
            }
        }
    }

    private final class Flag: Sendable {
        private let state = Mutex(false)
        var isSet: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }

    @Test("The API shows the cluster to administrators, and has none on a single node")
    func report() async throws {
        let report = ClusterReport(
            name: "north", leader: "a",
            nodes: [
                ClusterReport.Node(
                    name: "a", role: "leader", address: "http://10.0.0.1:8080", version: "1.2.3", position: 7,
                    problem: nil, reportedAt: TestServer.now),
                ClusterReport.Node(
                    name: "b", role: "failed", address: "http://10.0.0.2:8080", version: "1.2.3", position: 4,
                    problem: "This copy differs.", reportedAt: TestServer.now),
            ], log: ClusterReport.Log(bytes: 10, limit: 100, first: 1, last: 9))
        let state = Mutex<ClusterReport?>(report)
        try await TestServer.run {
            $0.cluster = ("north", { state.withLock { $0 } })
        } _: { server in
            let version = try await server.get("/v1/version").json
            #expect(version["cluster"]?.string == "north")
            let shown = try await server.get("/v1/cluster").json
            #expect(shown["leader"]?.string == "a")
            #expect(shown["nodes"]?.array?.map { $0["behind"]?.int } == [0, 3])
            #expect(shown["nodes"]?.array?.map { $0["problem"]?.string } == [nil, "This copy differs."])
            #expect(shown["log"]?["last"]?.int == 9)
            state.withLock { $0 = nil }
            #expect(try await server.get("/v1/cluster").status == 503)
        }
        try await TestServer.run { server in
            #expect(try await server.get("/v1/cluster").code == "no_cluster")
            let version = try await server.get("/v1/version").json
            #expect(version["cluster"]?.string == nil)
        }
    }

    @Test("The API shows which nodes have copies, and counts what they are behind only there")
    func reportOfCopies() async throws {
        func log() -> ClusterReport.Log { ClusterReport.Log(bytes: 1, limit: 9, first: 1, last: 9) }
        var node = ClusterReport.Node(
            name: "a", role: "leader", address: "http://10.0.0.1:8080", version: "1.2.3", position: 47, problem: nil,
            reportedAt: TestServer.now)
        (node.leads, node.copies, node.end) = (1, 2, 50)
        var report = ClusterReport(name: "north", leader: "a", nodes: [node], log: log())
        report.parts = [
            ClusterReport.Part(name: "config", leader: "a", position: 7, copies: ["a", "b"], log: log()),
            ClusterReport.Part(name: "0", leader: "a", position: 43, copies: ["a"], log: log()),
            ClusterReport.Part(name: "1", leader: "b", position: 900, copies: [], log: log()),
        ]
        #expect(report.isWell)
        report.away = ["c"]
        #expect(!report.isWell)
        try await TestServer.run { [report] in
            $0.cluster = ("north", { report })
        } _: { server in
            let shown = try await server.get("/v1/cluster").json
            #expect(shown["nodes"]?[0]?["behind"]?.int == 3)
            #expect(shown["nodes"]?[0]?["copies"]?.int == 2)
            #expect(shown["away"]?.array?.map(\.string) == ["c"])
            #expect(shown["parts"]?.array?.map { $0["copies"]?.array?.count } == [2, 1, 0])
        }
    }

    @Test("A copy is for nodes that know the key, and its file is removed")
    func copies() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = folder.appending(path: "made").path
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try await Self.run(holdTime: .zero) {
            try content.write(to: URL(filePath: made))
            return made
        } _: { node in
            let fetched = folder.appending(path: "fetched").path
            let size = try await CopyTransfer.fetch(from: node.url, key: Self.key, to: fetched)
            #expect(size == content.count)
            #expect(try Data(contentsOf: URL(filePath: fetched)) == content)
            #expect(!FileManager.default.fileExists(atPath: made))
            // Nothing is overwritten.
            await #expect(throws: CopyTransfer.Failure.self) {
                try await CopyTransfer.fetch(from: node.url, key: Self.key, to: folder.path)
            }
            let other = folder.appending(path: "other").path
            await #expect(throws: CopyTransfer.Failure.self) {
                try await CopyTransfer.fetch(
                    from: node.url, key: Array("0123456789abcdeF0123456789abcdef".utf8), to: other)
            }
            #expect(!FileManager.default.fileExists(atPath: other))
        }
        try await Self.run { node in
            await #expect(throws: CopyTransfer.Failure.self) {
                try await CopyTransfer.fetch(from: node.url, key: Self.key, to: made)
            }
        }
    }

    @Test("A client gets nothing that is for nodes, also through a node that sends its request on")
    func nodesOnly() async throws {
        let copies = Mutex(0)
        try await Self.run {
            copies.withLock { $0 += 1 }
            throw CancellationError()
        } _: { leader in
            try await TestServer.run {
                $0.router = leader.router.attachment(.partition(0))
            } _: { server in
                try await Self.run { follower in
                    follower.upstream.set(leader: leader.url)
                    for (method, path) in [
                        ("GET", "/v1/cluster/copy"), ("GET", "/v1/cluster/copy?part=0"), ("GET", "/v1/cluster/copy#x"),
                        ("GET", "/v1/cluster/%63opy"), ("GET", "/v1/cluster/session"), ("GET", "/v1/./cluster/copy"),
                        ("GET", "/v1/x/../cluster//copy"), ("POST", "/v1/cluster/tickets"),
                        ("POST", "/v1/cluster/endpoint"),
                        ("POST", "/v1/cluster/submissions"), ("POST", "/v1/cluster/configuration?position=1"),
                    ] {
                        for node in [leader, follower] {
                            let body = method == "POST" ? "" : nil
                            let reply = try await node.send(method, path, body, token: server.token)
                            #expect(reply.status == 404, "\(method) \(path)")
                        }
                    }
                }
            }
        }
        #expect(copies.withLock { $0 } == 0)
    }

    @Test("A node answers questions about itself")
    func ownAnswers() async throws {
        try await Self.run(holdTime: .zero) { node in
            #expect(try await node.send("GET", "/healthz").status == 200)
            #expect(try await node.send("GET", "/metrics").body == Array("own 1\n".utf8))
            node.upstream.set(leader: "http://127.0.0.1:1")
            let ready = try await node.send("GET", "/readyz")
            #expect(ready.status == 200)
            #expect(String(decoding: ready.body, as: UTF8.self).contains("http://127.0.0.1:1"))
            node.upstream.set(leader: nil)
            _ = try await node.send("GET", "/readyz")
            #expect(try await node.send("GET", "/readyz").status == 503)
            node.upstream.set(leader: "http://127.0.0.1:1", problem: "The copy differs.")
            #expect(try await node.send("GET", "/readyz").status == 503)
        }
    }
}
