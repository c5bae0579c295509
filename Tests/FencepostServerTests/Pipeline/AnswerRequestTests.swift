import FencepostHTTP
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import FencepostServer

@Suite("The stage that answers") struct AnswerRequestTests {
    private struct Unexpected: Error {}

    private static func answered(
        _ refusals: AnswerRequest.Refusals, _ log: LogLines = LogLines(), headers: HTTPFields = [:],
        position: UInt64? = nil, _ prepare: (inout Exchange) -> Void
    ) -> RouteResponse? {
        var exchange = StageFixture.exchange(headers: headers)
        prepare(&exchange)
        let stage = AnswerRequest(
            refusals: refusals, logger: Logger(label: "test") { _ in log.handler() }, position: { _, _ in position })
        #expect(stage.takesFailures)
        stage.handle(&exchange)
        return exchange.response
    }

    @Test("completes the response of a route") func success() {
        let response = Self.answered(.answer, headers: [.requestID: "r1"], position: 7) {
            $0.response = RouteResponse(text: "{}")
            $0.limits = [.rateLimit: "x"]
            $0.call.isOfFanOut = true
        }
        #expect(response?.headers[.requestID] == "r1" && response?.headers[.rateLimit] == "x")
        #expect(response?.headers[Forwarding.positionName] == "7" && response?.headers[FanOutMark.device] == nil)
    }

    @Test("says that the caller has the current version") func current() throws {
        let tagged = RouteResponse(text: "{}").tagged()
        let tag = try #require(tagged.headers[.eTag])
        for (known, status) in [(tag, 304), ("\"other\"", 200)] {
            let response = Self.answered(.answer, headers: [.ifNoneMatch: known]) { $0.response = tagged }
            #expect(response?.status.code == status && response?.headers[.eTag] == tag)
        }
    }

    @Test("makes the response of a problem, which it does not log") func problem() {
        let log = LogLines()
        let response = Self.answered(.answer, log, headers: [.requestID: "r1"]) {
            $0.failure = Problem.notFound("thing")
            // What a route has answered before a later stage failed.
            $0.response = RouteResponse(text: "{}")
            $0.limits = [.rateLimit: "x"]
        }
        #expect(response?.status == .notFound && response?.headers[.requestID] == "r1")
        #expect(response?.headers[.rateLimit] == nil && log.lines.withLock { $0.isEmpty })
    }

    @Test("logs an error of the service by its type, and its text only for debugging") func unexpected() {
        let log = LogLines()
        let response = Self.answered(.answer, log) { $0.failure = Unexpected() }
        let lines = log.lines.withLock { $0 }
        #expect(response?.status == .internalServerError && lines.count == 2)
        #expect(lines.first?.hasPrefix("error request failed") == true && lines.last?.hasPrefix("debug ") == true)
    }

    @Test("says that a body is incomplete when the connection ends") func cut() {
        var exchange = StageFixture.exchange(.post)
        exchange.failure = CancellationError()
        AnswerRequest(refusals: .answer, logger: Logger(label: "test")).handle(&exchange)
        #expect(exchange.response?.status.code == 400 && exchange.cause == "incomplete_body")
    }

    @Test("leaves to another node what does not succeed") func forward() {
        let failed = Self.answered(.forward) { $0.failure = Problem.notFound("thing") }
        #expect(failed == nil)
        let other = Self.answered(.forward) { $0.response = RouteResponse(.created) }
        #expect(other == nil)
        let good = Self.answered(.forward, headers: [.requestID: "r1"]) { $0.response = RouteResponse(.ok) }
        #expect(good?.status == .ok && good?.headers[.requestID] == "r1")
    }
}
