import ArgumentParser
import FencepostModel
import Foundation
import Synchronization

/// Measures the delay between an acknowledgement and the webhook of the event, while the service is under load.
///
/// Devices cross a region back and forth. Each crossing emits one event, whose webhook is sent to this process. The
/// delay starts when the response to the request with the crossing arrives and ends when the webhook has been read
/// completely, on one clock. It includes the transmission. A negative delay is a webhook that arrived before this
/// process had read the response.
struct DelayBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delay",
        abstract: "Sends positions that cross a region, and measures the delay of their webhooks.",
        discussion: """
            The service must allow webhooks to this machine: FENCEPOST_WEBHOOKS_ALLOW_HTTP=true \
            FENCEPOST_WEBHOOKS_ALLOWED_NETWORKS=127.0.0.0/8. A region and an endpoint for its events are added to it. \
            `ingest --city` can load it at the same time.
            """)

    @Option(help: "Port of the service on this machine.") var port: UInt16 = 8080
    @Option(help: "A token with the scopes `ingest` and `admin`.") var token: String
    @Option(help: "Positions per second of all connections.") var rate = 50_000.0
    @Option(help: "Positions in a request.") var batch = 100
    @Option(help: "Connections, each with one request in flight.") var connections = 8
    @Option(help: "Crossings per second of all connections; each is one event.") var crossings = 200.0
    @Option(help: "The duration in seconds.") var seconds = 10.0
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard rate > 0, (1...1000).contains(batch), connections > 0, crossings > 0, crossings * Double(batch) <= rate
        else {
            throw ValidationError("--batch is 1 to 1000, and --crossings at most --rate by --batch: one to a request.")
        }
    }

    func run() throws {
        let sink = try WebhookSink()
        sink.start()
        let start = Int64(Date().timeIntervalSince1970) - 80_000 + Int64(seed) * 2000
        try prepare(sink.port)
        let acknowledged = Mutex<[WebhookSink.Key: ContinuousClock.Instant]>([:])
        let counts = Mutex((requests: 0, refused: 0))
        let group = DispatchGroup()
        let began = ContinuousClock.now
        for number in 0..<connections {
            group.enter()
            let thread = Thread {
                var sender = CrossingSender(self, number: number, start: start)
                sender.run()
                acknowledged.withLock { $0.merge(sender.acknowledged) { first, _ in first } }
                counts.withLock { counts in
                    counts.requests += sender.requests
                    counts.refused += sender.refused
                }
                group.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        let elapsed = (ContinuousClock.now - began).inSeconds
        // Waits for outstanding webhooks, at most five seconds, which is longer than any relevant delay.
        let (sent, deadline) = (acknowledged.withLock { $0 }, ContinuousClock.now + .seconds(5))
        while sink.received.count < sent.count, ContinuousClock.now < deadline { usleep(50_000) }
        let received = sink.received
        let delays = sent.compactMap { key, time in received[key].map { ($0 - time).inSeconds * 1000 } }.sorted()
        let (requests, refused) = counts.withLock { $0 }
        try printResult(
            delays, missing: sent.count - delays.count, positions: requests * batch, refused: refused, elapsed)
    }

    private func printResult(
        _ delays: [Double], missing: Int, positions: Int, refused: Int, _ elapsed: Double
    ) throws {
        guard !delays.isEmpty else { throw ValidationError("no webhook arrived; \(refused) requests were refused") }
        report.title("delay: seed \(seed), \(String(format: "%.1f s", elapsed))")
        var measurement = Measurement(
            "delay", "from the answer to the webhook", ["seed": Int(seed), "batch": batch, "connections": connections],
            unit: "ms", delays)
        measurement.details = [
            "p99 ms": delays[min(delays.count - 1, Int(0.99 * Double(delays.count)))],
            "positions/s": Double(positions) / elapsed, "missing": Double(missing), "refused": Double(refused),
        ]
        try report.write(measurement)
    }

    /// Creates the region and the endpoint.
    private func prepare(_ receiver: UInt16) throws {
        var connection = LoopbackConnection(port: port)
        defer { connection.end() }
        let region = """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"bench-delay","geometry":{"type":"Polygon",\
            "coordinates":[[[\(Self.west),48.84],[\(Self.east),48.84],[\(Self.east),48.86],[\(Self.west),48.86],\
            [\(Self.west),48.84]]]},"properties":{"name":"Delay","crossing":"raw"}}]}
            """
        let endpoint = """
            {"url":"http://127.0.0.1:\(receiver)/hook","events":["region.*"],"regions":["bench-delay"]}
            """
        for (path, type, body) in [
            ("/v1/regions", "application/geo+json", region), ("/v1/endpoints", "application/json", endpoint),
        ] {
            let answer = try connection.exchange(request(path, type: type, Array(body.utf8)))
            guard (200..<300).contains(answer.status) else {
                throw ValidationError("\(path) answered: \(answer.text.split(separator: "\r\n\r\n").last ?? "")")
            }
        }
    }

    func request(_ path: String, type: String, _ body: [UInt8]) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// The region's west and east edges in degrees; no other device comes close.
    static let west = 2.34, east = 2.36
}

/// One connection with its devices, some of which cross the region.
private struct CrossingSender {
    private(set) var acknowledged: [WebhookSink.Key: ContinuousClock.Instant] = [:]
    private(set) var requests = 0
    private(set) var refused = 0
    private let options: DelayBenchmark
    private let number: Int
    private let start: Int64
    private var connection: LoopbackConnection
    private var random: SplitMix64

    /// The number of devices per connection that cross in turn, so no device waits for its previous webhook.
    private static let crossers = 50
    private static let others = 1600

    init(_ options: DelayBenchmark, number: Int, start: Int64) {
        self.options = options
        self.number = number
        self.start = start
        connection = LoopbackConnection(port: options.port)
        random = SplitMix64(seed: options.seed &+ UInt64(number))
    }

    mutating func run() {
        defer { connection.end() }
        let clock = ContinuousClock()
        let began = clock.now
        let interval = Double(options.connections * options.batch) / options.rate
        let perRequest = options.crossings * Double(options.batch) / options.rate
        var (round, due, owed) = (Int64(0), 0.0, 0.0)
        var (crossed, others) = (0, 0)
        // All crossing devices start outside, which emits no event.
        var starts = (0..<Self.crossers).map { name($0) }
        while (clock.now - began).inSeconds < options.seconds {
            let wait = due - (clock.now - began).inSeconds
            if wait > 0 { usleep(UInt32(wait * 1e6)) }
            due += interval
            round += 1
            var body: [UInt8] = []
            var key: WebhookSink.Key?
            if let device = starts.popLast() {
                append(device, DelayBenchmark.east + 0.01, round, to: &body)
            } else {
                owed += perRequest
                if owed >= 1 {
                    owed -= 1
                    let turn = crossed / Self.crossers
                    let device = name(crossed % Self.crossers)
                    crossed += 1
                    append(device, turn % 2 == 0 ? 2.35 : DelayBenchmark.east + 0.01, round, to: &body)
                    key = WebhookSink.Key(device: device, sequence: turn + 1)
                }
            }
            // The other devices stay away from the region.
            for _ in (body.isEmpty ? 0 : 1)..<options.batch {
                others += 1
                append("delay/\(number)/\(others % Self.others)", 2.5 + random.unit() * 0.3, round, to: &body)
            }
            do {
                let answer = try connection.exchange(
                    options.request("/v1/locations", type: "application/x-ndjson", body))
                let now = clock.now
                if answer.status == 200 { requests += 1 } else { refused += 1 }
                if answer.status == 200, let key { acknowledged[key] = now }
            } catch {
                refused += 1
                usleep(10_000)
            }
        }
    }

    private func name(_ crosser: Int) -> String { "delay/\(start)/\(number)/\(crosser)" }

    private func append(_ device: String, _ longitude: Double, _ round: Int64, to body: inout [UInt8]) {
        body +=
            "{\"deviceId\":\"\(device)\",\"latitude\":48.85,\"longitude\":\(String(format: "%.5f", longitude)),"
            .utf8
        // A tenth of a second between requests: devices with long gaps would emit stale events too.
        body += "\"horizontalAccuracy\":8,\"timestamp\":\(start * 1000 + round * 100)}\n".utf8
    }
}
