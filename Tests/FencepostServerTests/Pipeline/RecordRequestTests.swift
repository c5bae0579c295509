import FencepostHTTP
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import FencepostServer

@Suite("The stage that records") struct RecordRequestTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static func lines(
        _ traffic: Route.Traffic?, _ status: HTTPResponse.Status?, cause: String? = nil, level: Logger.Level = .debug
    ) -> [String] {
        let log = LogLines()
        var logger = Logger(label: "test") { _ in log.handler() }
        logger.logLevel = level
        var exchange = StageFixture.exchange(
            .post, "/things?secret=1", headers: [.requestID: "r1", .traceParent: trace])
        exchange.route = traffic.map { StageFixture.route(.post, traffic: $0) }
        (exchange.response, exchange.cause) = (status.map { RouteResponse($0) }, cause)
        let stage = RecordRequest(RequestCounters([StageFixture.route(.post)]), logger)
        #expect(stage.takesFailures)
        stage.handle(&exchange)
        return log.lines.withLock { $0 }
    }

    @Test("writes one line with the trace, and without the query") func line() {
        let lines = Self.lines(.api, .notFound, cause: "not_found")
        #expect(lines.count == 1 && lines[0].hasPrefix("info request"))
        for part in ["404", "not_found", "r1", "/things", "4bf92f3577b34da6a3ce929d0e0e4736"] {
            #expect(lines[0].contains(part), "\(part)")
        }
        #expect(!lines[0].contains("secret"))
    }

    @Test("writes what comes every second for debugging only, unless it fails") func routine() {
        for traffic in [Route.Traffic.ingest, .exempt] {
            #expect(Self.lines(traffic, .ok).first?.hasPrefix("debug request") == true)
            #expect(Self.lines(traffic, .ok, level: .info).isEmpty)
            #expect(Self.lines(traffic, .badRequest, level: .info).first?.hasPrefix("info request") == true)
        }
        #expect(Self.lines(.api, .ok, level: .info).count == 1)
        #expect(Self.lines(nil, .ok, level: .info).count == 1)
    }

    @Test("writes nothing of what another node answers") func left() {
        #expect(Self.lines(.ingest, nil).isEmpty)
    }
}
