import FencepostJSON
import FencepostModel
import FencepostOperation
import Foundation
import Logging
import Metrics
import Synchronization
import Testing

@Suite("The watch of the system's clock") struct ClockWatchTests {
    @Test("reports nothing while nobody sets the clock")
    func quiet() {
        let watch = ClockWatch()
        #expect(!watch.wasSet())
        #expect(!watch.wasSet())
    }
}

@Suite("Metrics") struct PrometheusMetricsTests {
    @Test("are exported in Prometheus' text format")
    func text() {
        let metrics = PrometheusMetrics(help: ["requests_total": "Requests."])
        Counter(label: "requests_total", dimensions: [("path", "a\"b\\c\nd")], factory: metrics).increment(by: 3)
        Counter(label: "requests_total", dimensions: [("path", "x")], factory: metrics).increment()
        Gauge(label: "temperature", factory: metrics).record(1.5)
        let timer = Timer(label: "wait_seconds", factory: metrics)
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(40_000_000_000)
        let text = metrics.text()
        #expect(
            text.hasPrefix(
                """
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{path="a\\"b\\\\c\\nd"} 3
                requests_total{path="x"} 1
                # TYPE temperature gauge
                temperature 1.5
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.0005"} 0
                wait_seconds_bucket{le="0.001"} 0
                wait_seconds_bucket{le="0.0025"} 1

                """), "\(text)")
        #expect(text.contains("wait_seconds_bucket{le=\"+Inf\"} 2\nwait_seconds_sum 40.002\nwait_seconds_count 2\n"))
        #expect(text.contains("# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes "))
    }

    @Test("with the same name and labels are the same metric")
    func shares() {
        let metrics = PrometheusMetrics()
        for _ in 0..<3 { Counter(label: "n_total", factory: metrics).increment() }
        #expect(metrics.text().contains("\nn_total 3\n"))
    }
}

@Suite("Log lines") struct LineLogHandlerTests {
    private func lines(_ style: LineLogHandler.Style, _ body: (Logger) -> Void) -> [String] {
        let written = Lines()
        var logger = Logger(label: "test") { label in
            LineLogHandler(
                label: label, style: style, level: SharedLogLevel(.info), now: { Timestamp(seconds: 1_772_353_800) },
                write: { bytes in written.add(String(decoding: bytes, as: UTF8.self)) })
        }
        logger[metadataKey: "requestId"] = "r1"
        body(logger)
        return written.all
    }

    private final class Lines: Sendable {
        private let state = Mutex<[String]>([])
        func add(_ line: String) { state.withLock { $0.append(line) } }
        var all: [String] { state.withLock { $0 } }
    }

    @Test("write numbers of every type as numbers", arguments: ["7", "-7", "18446744073709551615", "1.5"])
    func numbers(text: String) throws {
        let values: [String: any CustomStringConvertible & Sendable] = [
            "7": UInt8(7), "-7": Int64(-7), "18446744073709551615": UInt64.max, "1.5": 1.5,
        ]
        let value = try #require(values[text])
        let lines = lines(.json) { $0.info("a", metadata: ["n": .stringConvertible(value)]) }
        #expect(lines.first?.contains("\"n\":\(text),") == true, "\(lines)")
    }

    @Test("are one JSON object each, with the metadata of message and logger")
    func json() {
        let lines = lines(.json) { logger in
            logger.debug("not this")
            logger.info("a \"b\"\n", metadata: ["n": "\(1)", "list": ["x", "y"], "count": .stringConvertible(7)])
        }
        #expect(
            lines == [
                #"{"ts":"2026-03-01T08:30:00Z","level":"info","msg":"a \"b\"\n","logger":"test","count":7,"#
                    + #""list":["x","y"],"n":"1","requestId":"r1"}"# + "\n"
            ])
    }

    @Test("are one line in text format too")
    func text() {
        #expect(
            lines(.text) { $0.warning("a\nb", metadata: ["k": "v"]) } == [
                "2026-03-01T08:30:00Z warning a b k=v requestId=r1\n"
            ])
    }
}

@Suite("The service manager") struct ServiceManagerTests {
    @Test("receives notifications on its socket")
    func notifies() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "n\(getpid()).sock").path
        unlink(path)
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer {
            close(socket)
            unlink(path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "10000000"])
        #expect(manager.watchdog == .seconds(5))
        manager.reloading()
        manager.ready()
        var buffer = [UInt8](repeating: 0, count: 256)
        let first = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: buffer.prefix(max(first, 0)), as: UTF8.self).hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        let second = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: buffer.prefix(max(second, 0)), as: UTF8.self) == "READY=1")
    }
}
