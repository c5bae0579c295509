import FencepostHTTP
import FencepostService
import HTTPTypes
import Synchronization
import Testing

@testable import FencepostServer

@Suite("The stage that runs the route") struct RunRouteTests {
    /// A route that counts its runs.
    private final class Counted: Sendable {
        let runs = Mutex(0)

        func route(_ method: HTTPRequest.Method, _ traffic: Route.Traffic) -> Route {
            StageFixture.route(method, access: .scope(.write), traffic: traffic) { call in
                let count = self.runs.withLock {
                    $0 += 1
                    return $0
                }
                return RouteResponse(.created, text: "\(count) \(call.body.count)")
            }
        }
    }

    private static func text(_ exchange: Exchange) -> String? {
        guard case .bytes(let bytes)? = exchange.response?.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "gives the route the call", arguments: [Route.Traffic.ingest, .api, .exempt], [1, OffloadQueue.threshold + 1])
    func run(traffic: Route.Traffic, size: Int) async throws {
        try await StageFixture.withAPI { api, _ in
            let counted = Counted()
            var exchange = StageFixture.exchange(.post)
            exchange.route = counted.route(.post, traffic)
            exchange.call.body = [UInt8](repeating: 0, count: size)
            #expect(await StageFixture.refusal(RunRoute(api: api), &exchange) == nil)
            #expect(exchange.response?.status == .created && Self.text(exchange) == "1 \(size)")
        }
    }

    @Test("runs it once for one Idempotency-Key") func once() async throws {
        try await StageFixture.withAPI { api, _ in
            let counted = Counted()
            for key in ["a", "a", "b"] {
                var exchange = StageFixture.exchange(.post, headers: [.idempotencyKey: key])
                exchange.route = counted.route(.post, .api)
                exchange.call.caller = StageFixture.caller("jane", [.write])
                #expect(await StageFixture.refusal(RunRoute(api: api), &exchange) == nil)
                #expect(Self.text(exchange) == (key == "a" ? "1 0" : "2 0"))
            }
            #expect(counted.runs.withLock { $0 } == 2)
        }
    }
}
