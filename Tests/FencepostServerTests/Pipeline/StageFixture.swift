import FencepostHTTP
import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import Synchronization

@testable import FencepostServer

/// Requests for the tests of single stages, without a connection.
enum StageFixture {
    /// A request with a body that was read before (`held`), or one that is still to be read (`sent`).
    static func exchange(
        _ method: HTTPRequest.Method = .get, _ target: String = "/things", headers: HTTPFields = [:],
        held: [UInt8]? = nil, sent: [UInt8] = []
    ) -> Exchange {
        let request = Request(
            head: HTTPRequest(method: method, scheme: "http", authority: "here", path: target, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(bytes: sent)))
        return Exchange(
            request, client: "192.0.2.1", held: held, connection: nil, channel: NIOAsyncTestingChannel(),
            requestIDs: RequestIDs(key: 1))
    }

    static func route(
        _ method: HTTPRequest.Method = .get, _ path: String = "/things", access: Access = .open,
        traffic: Route.Traffic = .api, parameters: [Route.Parameter] = [], body: Route.Body? = nil,
        handle: @escaping @Sendable (Call) async throws -> RouteResponse = { _ in RouteResponse(text: "{}") }
    ) -> Route {
        Route(
            method: method, path: path, name: "\(method.rawValue) \(path)", summary: "", tag: "", access: access,
            traffic: traffic, parameters: parameters, body: body, successes: [], partition: .configuration,
            handle: handle)
    }

    /// A caller with a token of its own.
    static func caller(_ id: String, _ scopes: Set<AccessToken.Scope> = [.read]) -> Caller {
        Caller(
            token: AccessToken(id: id, name: id, hash: [], scopes: scopes, createdAt: TestServer.now),
            secret: "fp_\(id)")
    }

    /// The code of the problem with which a stage refuses a request; `nil` when it does not.
    static func refusal(_ stage: some RequestStage, _ exchange: inout Exchange) async -> String? {
        do {
            try await stage.handle(&exchange)
            return nil
        } catch {
            return Problem(unexpected: error).code
        }
    }

    /// Calls a closure with the API of a server.
    static func withAPI(_ body: @escaping @Sendable (API, TestServer) async throws -> Void) async throws {
        let found = Mutex<ServerDependencies?>(nil)
        try await TestServer.run({ dependencies in found.withLock { $0 = dependencies } }) { server in
            guard let dependencies = found.withLock({ $0 }) else { return }
            try await body(API(dependencies), server)
        }
    }
}
