import FencepostOperation
import FencepostTracing
import FencepostTransport
import Foundation
import Logging
import NIOHTTP1
import Synchronization
import Testing

@Suite("Sending spans") struct TraceExporterTests {
    /// An exporter that runs, with short delays.
    private struct Bench {
        let tracer: Tracer
        let lines = Lines()
        let metrics = PrometheusMetrics()
        let exporter: TraceExporter

        init(_ endpoint: String, capacity: Int = 1000, _ change: (inout TraceExporter.Settings) -> Void = { _ in }) {
            tracer = Tracer(ratio: 1, seed: 1, capacity: capacity)
            var settings = TraceExporter.Settings(endpoint: endpoint)
            settings.headers = [("x-key", "secret")]
            settings.interval = .milliseconds(5)
            (settings.firstDelay, settings.lastDelay) = (.milliseconds(4), .milliseconds(20))
            change(&settings)
            exporter = TraceExporter(
                settings, tracer, client: HTTPClient(), logger: Logger(label: "test") { [lines] _ in lines.handler },
                metrics: metrics)
        }

        func record(_ count: Int, _ name: String = "a span") throws {
            for _ in 0..<count {
                let context = try #require(tracer.begin(nil))
                tracer.record(Span(name, .internal, context, parentID: nil, start: .now, end: .now))
            }
        }

        func spans(_ outcome: String) -> Int {
            let name = "fencepost_trace_spans_total{outcome=\"\(outcome)\"} "
            let line = metrics.text().split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count)) } ?? -1
        }

        /// Waits for a condition that has to come about.
        func until(_ condition: () -> Bool) async throws {
            let end = ContinuousClock.now + .seconds(30)
            while !condition() {
                try #require(ContinuousClock.now < end)
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        func run(_ body: () async throws -> Void) async throws {
            async let running: Void = exporter.run()
            do {
                try await body()
            } catch {
                exporter.stop()
                await running
                throw error
            }
            exporter.stop()
            await running
        }
    }

    /// What is logged from `info` on.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var handler: any LogHandler { Handler(lines: self) }

        private struct Handler: LogHandler {
            let lines: Lines
            var metadata = Logger.Metadata()
            var logLevel = Logger.Level.info

            subscript(metadataKey key: String) -> Logger.MetadataValue? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                lines.lines.withLock { $0.append("\(event.level): \(event.message) \(event.metadata ?? [:])") }
            }
        }
    }

    @Test("makes requests of OTLP, in batches") func batches() async throws {
        let receiver = try await SpanReceiver()
        let bench = Bench(receiver.endpoint) { $0.batch = 10 }
        try bench.record(25)
        try await bench.run { try await bench.until { bench.spans("sent") == 25 } }
        #expect(receiver.received.count == 3)
        for request in receiver.received {
            #expect(request.path == "/v1/traces" && request.headers["content-type"] == "application/x-protobuf")
            #expect(request.headers["x-key"] == "secret" && !request.body.isEmpty)
        }
        #expect(bench.lines.all.isEmpty)
        try await receiver.close()
    }

    @Test("is repeated as long as the receiver is overloaded or away", arguments: [429, 502, 503, 504])
    func retries(status: Int) async throws {
        let receiver = try await SpanReceiver { $0 < 4 ? .init(status: .init(statusCode: status)) : .init() }
        let bench = Bench(receiver.endpoint)
        try bench.record(5)
        try await bench.run { try await bench.until { bench.spans("sent") == 5 } }
        let bodies = receiver.received.map(\.body)
        #expect(bodies.count == 4 && Set(bodies).count == 1, "the same spans with the same times")
        #expect(bench.lines.all.count == 2)
        #expect(bench.lines.all.first?.contains("warning: the receiver of traces does not take them") == true)
        #expect(bench.lines.all.first?.contains("status \(status)") == true)
        #expect(bench.lines.all.last?.contains("info: the receiver of traces takes them again") == true)
        try await receiver.close()
    }

    @Test("is not repeated after another status", arguments: [400, 401, 404, 500, 302]) func refusals(
        status: Int
    ) async throws {
        let receiver = try await SpanReceiver { _ in .init(status: .init(statusCode: status)) }
        let bench = Bench(receiver.endpoint)
        try await bench.run {
            for count in 1...3 {
                try bench.record(2)
                try await bench.until { bench.spans("failed") == 2 * count }
            }
        }
        #expect(receiver.received.count == 3 && bench.spans("sent") == 0)
        #expect(bench.lines.all.count == 1, "one line, not one for each batch: \(bench.lines.all)")
        #expect(bench.lines.all.first?.contains("status \(status)") == true)
        try await receiver.close()
    }

    @Test("waits as long as the receiver asks for") func retryAfter() async throws {
        let receiver = try await SpanReceiver {
            $0 == 1 ? .init(status: .serviceUnavailable, headers: [("Retry-After", "1")]) : .init()
        }
        let bench = Bench(receiver.endpoint)
        try bench.record(1)
        let start = ContinuousClock.now
        try await bench.run { try await bench.until { bench.spans("sent") == 1 } }
        #expect(ContinuousClock.now - start >= .seconds(1))
        try await receiver.close()
    }

    @Test("holds a limited number of spans while the receiver is away, says so once, and sends them later")
    func absence() async throws {
        let first = try await SpanReceiver()
        let port = first.port
        try await first.close()
        let bench = Bench("http://127.0.0.1:\(port)/v1/traces", capacity: 30) { $0.batch = 10 }
        try await bench.run {
            try bench.record(10)
            try await bench.until { bench.tracer.count == 0 && !bench.lines.all.isEmpty }
            try bench.record(70)
            #expect(bench.tracer.count == 30)
            let receiver = try await SpanReceiver(port: port)
            try await bench.until { bench.spans("sent") == 40 }
            #expect(bench.spans("dropped") == 40 && bench.spans("failed") == 0)
            #expect(bench.lines.all.map { $0.prefix(5) } == ["warni", "info:"], "\(bench.lines.all)")
            try await receiver.close()
        }
    }

    @Test("gives a batch up after a time, and goes on with the next") func maximumTime() async throws {
        let receiver = try await SpanReceiver { $0 < 20 ? .init(status: .serviceUnavailable) : .init() }
        let bench = Bench(receiver.endpoint) { $0.maximumRetryTime = .milliseconds(30) }
        try await bench.run {
            try bench.record(3, "lost")
            try await bench.until { bench.spans("failed") == 3 }
            while bench.spans("sent") < 1 {
                let failed = bench.spans("failed")
                try bench.record(1)
                try await bench.until { bench.spans("failed") > failed || bench.spans("sent") == 1 }
            }
        }
        #expect(bench.lines.all.count == 2)
        try await receiver.close()
    }

    @Test("counts what a receiver does not take of a batch") func partialSuccess() async throws {
        let receiver = try await SpanReceiver { _ in
            .init(body: [0x0a, 0x07, 0x08, 0x02, 0x12, 0x03, 0x62, 0x61, 0x64])
        }
        let bench = Bench(receiver.endpoint)
        try bench.record(5)
        try await bench.run { try await bench.until { bench.spans("sent") == 3 } }
        #expect(bench.spans("rejected") == 2)
        #expect(bench.lines.all.first?.contains("it rejected some spans: bad") == true)
        try await receiver.close()
    }

    @Test("sends what is left when it is stopped") func flush() async throws {
        let receiver = try await SpanReceiver()
        let bench = Bench(receiver.endpoint) {
            $0.interval = .seconds(3600)
            $0.batch = 10
        }
        try await bench.run {
            try bench.record(10)
            try await bench.until { bench.spans("sent") == 10 }
            try bench.record(9)
        }
        #expect(receiver.received.count == 2 && bench.spans("sent") == 19)
        try await receiver.close()
    }

    @Test("sends a batch that is being repeated once more when it is stopped") func flushOfARepeatedBatch() async throws
    {
        let receiver = try await SpanReceiver { $0 == 1 ? .init(status: .serviceUnavailable) : .init() }
        let bench = Bench(receiver.endpoint) { ($0.firstDelay, $0.lastDelay) = (.seconds(600), .seconds(600)) }
        bench.tracer.record(try span(bench))
        try await bench.run { try await bench.until { !bench.lines.all.isEmpty } }
        #expect(receiver.received.count == 2 && bench.spans("sent") == 1)
        try await receiver.close()
    }

    @Test("is stopped in time by a receiver that does not answer, and counts what is lost") func stopInTime()
        async throws
    {
        // A port that accepts connections, and answers nothing.
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(silent, pointer, length)
                _ = getsockname(silent, pointer, &length)
            }
        }
        _ = listen(silent, 5)
        let bench = Bench("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/v1/traces") {
            $0.stopTime = .milliseconds(200)
        }
        try bench.record(7)
        let start = ContinuousClock.now
        try await bench.run {}
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(bench.spans("failed") == 7)
        close(silent)
    }

    private func span(_ bench: Bench) throws -> Span {
        Span("a", .internal, try #require(bench.tracer.begin(nil)), parentID: nil, start: .now, end: .now)
    }
}
