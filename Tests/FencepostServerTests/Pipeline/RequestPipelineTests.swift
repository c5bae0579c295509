import FencepostHTTP
import FencepostModel
import FencepostServiceTesting
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import FencepostServer

@Suite("The pipeline of requests") struct RequestPipelineTests {
    /// A stage that writes its name down.
    private struct Marked: RequestStage {
        let name: String
        let passed: Passed
        var error: Problem?

        func handle(_ exchange: inout Exchange) throws {
            passed.names.withLock { $0.append(name) }
            if let error { throw error }
            if name == "run" { exchange.response = RouteResponse(text: "{}") }
        }
    }

    private final class Passed: Sendable {
        let names = Mutex<[String]>([])
    }

    private static func pipeline(_ passed: Passed, identifyFails: Bool = false) -> RequestPipeline {
        let (logger, table) = (Logger(label: "test"), RouteTable([StageFixture.route()]))
        return RequestPipeline(
            table,
            identify: Marked(name: "identify", passed: passed, error: identifyFails ? .notFound("thing") : nil),
            limit: LimitRate(ingest: nil, api: nil, clock: ManualTime(TestServer.now).clock(notBefore: .distantPast)),
            read: ReadBody(limit: 1, importLimit: 1), run: Marked(name: "run", passed: passed),
            answer: AnswerRequest(refusals: .answer, logger: logger),
            record: RecordRequest(RequestCounters(table.routes), logger))
    }

    @Test("has its stages in this order") func order() {
        let names = Self.pipeline(Passed()).stages.map { "\(type(of: $0))" }
        #expect(
            names == [
                "FindRoute", "Marked", "LimitRate", "CheckRequest", "ReadBody", "Marked", "AnswerRequest",
                "RecordRequest",
            ])
    }

    @Test("ends at the first refusal, and answers it") func refusal() async {
        let passed = Passed()
        var exchange = StageFixture.exchange()
        await Self.pipeline(passed, identifyFails: true).handle(&exchange)
        #expect(passed.names.withLock { $0 } == ["identify"])
        #expect(exchange.response?.status == .notFound && exchange.cause == "not_found")
        var good = StageFixture.exchange()
        await Self.pipeline(passed).handle(&good)
        #expect(passed.names.withLock { $0 } == ["identify", "identify", "run"])
        #expect(good.response?.status == .ok && good.failure == nil)
    }
}
