import FencepostCrypto
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import FencepostServer

/// Servers that each have a part of a cluster's data, and one that has all of it.
struct PartitionServers: Sendable {
    let partitions: Partitioning
    let servers: [ClusterPartition: TestServer]
    let single: TestServer
    let caller: SwitchedCaller
    let fanOut: PartitionFanOut
    /// A token with all scopes, which all servers know.
    let token: String

    static func run(
        _ count: Int, _ body: @escaping @Sendable (PartitionServers) async throws -> Void
    ) async throws {
        let partitions = Partitioning(count: count)
        try await start(partitions.parts, [:]) { servers, urls in
            try await TestServer.run { single in
                let (text, stored) = issue("all", [.ingest, .read, .write, .admin])
                for server in Array(servers.values) + [single] { try await server.store.save(stored) }
                let caller = SwitchedCaller(urls)
                let clock = single.clock
                let fanOut = PartitionFanOut(
                    partitions: partitions, caller: caller, key: caller.forwarder.processKey, now: { clock.now() },
                    sleep: { span in
                        try await Task.sleep(for: span == EventStream.heartbeat ? .milliseconds(100) : .milliseconds(5))
                    })
                let result: Result<Void, any Error>
                do {
                    try await body(
                        PartitionServers(
                            partitions: partitions, servers: servers, single: single, caller: caller, fanOut: fanOut,
                            token: text))
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await caller.close()
                try result.get()
            }
        }
    }

    static func issue(
        _ name: String, _ scopes: Set<AccessToken.Scope>, device: DeviceID? = nil
    ) -> (text: String, stored: AccessToken) {
        var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        let text = TokenText.make("fp_", using: &generator)
        var token = AccessToken(
            id: "tok_\(name)", name: name, hash: TokenText.hash(text), scopes: scopes, createdAt: TestServer.now)
        token.deviceID = device
        return (text, token)
    }

    private static func start(
        _ parts: [ClusterPartition], _ started: [ClusterPartition: (server: TestServer, url: String)],
        _ body: @escaping @Sendable ([ClusterPartition: TestServer], [ClusterPartition: String]) async throws -> Void
    ) async throws {
        guard let part = parts.first else {
            return try await body(started.mapValues(\.server), started.mapValues(\.url))
        }
        try await NodeRouterTests.run { node in
            try await TestServer.run {
                $0.router = node.router.attachment(.partition(0))
            } _: { server in
                var all = started
                all[part] = (server, node.url)
                try await start(Array(parts.dropFirst()), all, body)
            }
        }
    }

    // MARK: Data

    var all: [TestServer] { Array(servers.values) + [single] }

    /// What a partition's server and the single one get of locations in NDJSON.
    func send(_ lines: [String]) async throws {
        let byPartition = Dictionary(grouping: lines) { line in
            let id = (try? JSONDocument(parsing: line))?.root["deviceId"]?.string ?? ""
            return partitions.part(of: DeviceID(id))
        }
        for (part, lines) in byPartition { try await Self.send(lines, to: try #require(servers[part])) }
        try await Self.send(lines, to: single)
    }

    private static func send(_ lines: [String], to server: TestServer) async throws {
        let reply = try await server.post(
            "/v1/locations", lines.joined(separator: "\n"), type: "application/x-ndjson")
        // Some tests send what is rejected.
        #expect(reply.status == 200 || reply.code == "all_rejected", "\(reply.text)")
    }

    /// Sends a request to all servers, as the mirror of a configuration does.
    func change(_ method: NIOHTTP1.HTTPMethod, _ path: String, _ json: String) async throws {
        for server in all {
            let reply = try await server.send(method, path, body: Array(json.utf8), type: "application/json")
            #expect(reply.status < 300, "\(path): \(reply.text)")
        }
    }

    func advance(by span: Duration) { for server in all { server.time.advance(by: span) } }

    // MARK: Requests

    func request(
        _ method: HTTPRequest.Method, _ target: String, body: String = "", headers: HTTPFields = [:],
        token: String? = nil
    ) -> PartitionRequest {
        var headers = headers
        if headers[.authorization] == nil { headers[.authorization] = "Bearer \(token ?? self.token)" }
        if !body.isEmpty {
            (headers[.contentType], headers[.contentLength]) = ("application/json", "\(body.utf8.count)")
        }
        return PartitionRequest(
            method: method, target: target, headers: headers, body: Array(body.utf8), client: "127.0.0.1",
            isRepeatable: method == .get)
    }

    /// The answer over all partitions, as a router would give it; `nil` where it is none of its requests.
    func response(to request: PartitionRequest) async throws -> Response? {
        let mark = request.target.firstIndex(of: "?") ?? request.target.endIndex
        return try await fanOut.answer(
            request, path: String(request.target[..<mark]), query: request.target[mark...].dropFirst())
    }

    func answer(
        _ method: HTTPRequest.Method, _ target: String, body: String = "", headers: HTTPFields = [:],
        token: String? = nil
    ) async throws -> PartitionAnswer {
        let response = try await response(
            to: request(method, target, body: body, headers: headers, token: token))
        return try await PartitionAnswer(try #require(response, "\(target)"))
    }

    func get(_ target: String, token: String? = nil) async throws -> PartitionAnswer {
        try await answer(.get, target, token: token)
    }
}

/// Sends requests to the servers of the parts, as a node does, and loses its connections to one when a test says so.
final class SwitchedCaller: PartitionCaller {
    private struct State {
        var cut: Set<ClusterPartition> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var streams = 0
        var begun = 0
    }

    private let urls: [ClusterPartition: String]
    let forwarder = RequestForwarder(holdTime: .seconds(20), bodyLimit: 1 << 20)
    private let state = Mutex(State())

    init(_ urls: [ClusterPartition: String]) {
        self.urls = urls
        forwarder.signer.set(key: NodeRouterTests.key)
    }

    func close() async { await forwarder.close() }

    /// The number of streams that are read.
    var streams: Int { state.withLock { $0.streams } }

    /// The number of streams of which it is known where they begin, since the beginning.
    var begun: Int { state.withLock { $0.begun } }

    /// Loses the connections to a part, and holds requests to it.
    func cut(_ part: ClusterPartition) {
        state.withLock { _ = $0.cut.insert(part) }
    }

    func join(_ part: ClusterPartition) {
        let waiting = state.withLock { state in
            state.cut.remove(part)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func answer(to request: PartitionRequest, from part: ClusterPartition) async throws -> Response {
        while state.withLock({ $0.cut.contains(part) }) {
            await withCheckedContinuation { continuation in
                let isCut = state.withLock { state in
                    if state.cut.contains(part) { state.waiting.append(continuation) }
                    return state.cut.contains(part)
                }
                if !isCut { continuation.resume() }
            }
        }
        let head = HTTPRequest(
            method: request.method, scheme: nil, authority: "x", path: request.target, headerFields: request.headers)
        let sent = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
        let held = try await forwarder.bodies.read(sent)
        let content = RequestForwarder.Content(
            request: sent, target: request.target, client: request.client, isRepeatable: request.isRepeatable)
        let target = RequestForwarder.Target.node(try #require(urls[part]))
        guard case .answered(var response) = try await forwarder.outcome(of: content, held, target: { target }) else {
            throw Problem.internalError
        }
        guard response.body.contentLength == nil else { return response }
        let body = response.body
        response.body = ResponseBody { [self] writer in
            state.withLock { $0.streams += 1 }
            defer { state.withLock { $0.streams -= 1 } }
            try await body.write(Cut(writer: writer, part: part, caller: self))
        }
        return response
    }

    private func isCut(_ part: ClusterPartition) -> Bool { state.withLock { $0.cut.contains(part) } }

    /// Passes on what comes until the part is cut off, and then a piece of an event without its end.
    private struct Cut: ResponseBodyWriter {
        var writer: any ResponseBodyWriter
        let part: ClusterPartition
        let caller: SwitchedCaller

        mutating func write(_ buffer: ByteBuffer) async throws {
            if String(buffer: buffer).contains(": at ") { caller.state.withLock { $0.begun += 1 } }
            guard caller.isCut(part) else { return try await writer.write(buffer) }
            var half = buffer
            if let slice = half.readSlice(length: buffer.readableBytes / 2) { try await writer.write(slice) }
            throw CancellationError()
        }

        consuming func finish(_ trailers: HTTPFields?) async throws { try await writer.finish(trailers) }
    }
}
