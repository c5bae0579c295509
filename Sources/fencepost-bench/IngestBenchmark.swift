import ArgumentParser
import FencepostModel
import Foundation
import Synchronization

/// Loads a running service over loopback and counts acknowledged positions.
///
/// It uses blocking sockets and prepared bodies, because the generator shares the machine with the service and must be
/// cheap.
struct IngestBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Sends positions to a running service and counts what it acknowledges.")

    @Option(help: "Port of the service on this machine.") var port: UInt16 = 8080
    @Option(help: "A token with the scope `ingest`.") var token: String
    @Option(help: "Positions in a request.") var batch = 100
    @Option(help: "Connections, each with one request in flight.") var connections = 8
    @Option(help: "The number of devices.") var devices = 10_000
    @Option(help: "The duration in seconds.") var seconds = 10.0
    @Option(help: "Requests per second of all connections; 0 is as many as possible.") var rate = 0.0
    @Option(help: "ndjson or owntracks; the second sends single positions.") var format = "ndjson"
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "Regions of a city that are added first, where the devices park, walk and drive; needs `admin` too.")
    var city: Int?
    @OptionGroup var report: ReportOptions

    /// Prepared bodies per connection, used in turn.
    private static let bodies = 16

    func validate() throws {
        if format == "owntracks", batch != 1 { throw ValidationError("OwnTracks posts one position: use --batch 1.") }
        if devices < batch * connections * Self.bodies, devices % (batch * connections) != 0 {
            throw ValidationError("--devices must be a multiple of --batch times --connections.")
        }
        if city != nil, devices % (batch * connections) != 0 || format != "ndjson" {
            throw ValidationError(
                "--city needs NDJSON, and --devices that are a multiple of --batch times --connections.")
        }
    }

    func run() throws {
        if let city { try addRegions(city) }
        let results = Mutex<[Connection.Result]>([])
        // The times of a second run with another seed differ from those of the first.
        let start = Int64(Date().timeIntervalSince1970) - 80_000 + Int64(seed) * 2000
        let group = DispatchGroup()
        let began = ContinuousClock.now
        for number in 0..<connections {
            group.enter()
            let thread = Thread {
                var connection = Connection(self, number: number, start: start)
                let result = connection.run()
                results.withLock { $0.append(result) }
                group.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        let elapsed = (ContinuousClock.now - began).inSeconds
        let all = results.withLock { $0 }
        let latencies = all.flatMap(\.latencies).sorted()
        let errors = all.reduce(0) { $0 + $1.errors }
        if errors > 0, let first = all.compactMap(\.firstError).first { report.title("first refusal: \(first)") }
        guard !latencies.isEmpty else { throw ValidationError("nothing was acknowledged; \(errors) were refused") }
        let world = city.map { ", among \($0) regions of a city" } ?? ""
        report.title("ingest: seed \(seed), \(String(format: "%.1f s", elapsed))\(world)")
        var measurement = Measurement(
            "ingest", "\(format), batches of \(batch), \(connections) connections, acknowledged",
            ["seed": Int(seed), "batch": batch, "connections": connections, "devices": devices], unit: "positions/s",
            isRate: true, [Double(latencies.count * batch) / elapsed])
        func percentile(_ fraction: Double) -> Double {
            latencies[min(latencies.count - 1, Int(fraction * Double(latencies.count)))] * 1000
        }
        measurement.details = [
            "requests/s": Double(latencies.count) / elapsed, "refused": Double(errors),
            "answer after ms, p50": percentile(0.5), "answer after ms, p99": percentile(0.99),
            "answer after ms, most": percentile(1),
        ]
        try report.write(measurement)
    }

    private func addRegions(_ count: Int) throws {
        var socket = LoopbackConnection(port: port)
        defer { socket.end() }
        let body = CityRequests.regions(count, seed: seed)
        let answer = try socket.exchange(
            CityRequests.request("/v1/regions", type: "application/geo+json", token: token, body))
        guard (200..<300).contains(answer.status) else {
            throw ValidationError("the regions were refused: \(answer.text.split(separator: "\r\n\r\n").last ?? "")")
        }
    }
}

/// A request with placeholders for times.
struct RequestTemplate {
    var bytes: [UInt8]
    /// Where the digits of each position's time stand.
    var times: [Int]
    /// How often it was sent.
    var round: Int64 = 0
}

/// One connection and its requests, one after the other.
private struct Connection {
    struct Result {
        var latencies: [Double] = []
        var errors = 0
        var firstError: String?
    }

    private let options: IngestBenchmark
    private let start: Int64
    private var templates: [RequestTemplate] = []
    private var socket: LoopbackConnection
    private let interval: Double
    /// The requests of a fleet in a city, instead of `templates`.
    private var fleet: CityRequests?

    init(_ options: IngestBenchmark, number: Int, start: Int64) {
        self.options = options
        self.start = start
        socket = LoopbackConnection(port: options.port)
        interval = options.rate > 0 ? Double(options.connections) / options.rate : 0
        var random = SplitMix64(seed: options.seed &+ UInt64(number))
        // Each device belongs to one connection, so its positions arrive in the order of time.
        let own = max(1, options.devices / options.connections)
        let count = max(1, own / options.batch)
        if options.city != nil {
            fleet = CityRequests(options, connection: number, devices: own)
            return
        }
        for body in 0..<count {
            templates.append(
                Self.template(options, first: number * own + body * options.batch, start: start, &random))
        }
    }

    private static func template(
        _ options: IngestBenchmark, first: Int, start: Int64, _ random: inout SplitMix64
    ) -> RequestTemplate {
        var body: [UInt8] = []
        var times: [Int] = []
        for device in first..<first + options.batch {
            let latitude = 48.85 + (random.unit() - 0.5) * 0.2
            let longitude = 2.35 + (random.unit() - 0.5) * 0.3
            let north = String(format: "%.5f", latitude), east = String(format: "%.5f", longitude)
            if options.format == "owntracks" {
                body +=
                    "{\"_type\":\"location\",\"tid\":\"xx\",\"acc\":8,\"lat\":\(north),\"lon\":\(east),\"tst\":".utf8
            } else {
                body +=
                    "{\"deviceId\":\"bench/\(device)\",\"latitude\":\(north),\"longitude\":\(east),\"horizontalAccuracy\":8,\"timestamp\":"
                    .utf8
            }
            times.append(body.count)
            body += "\(start)}".utf8
            if options.format != "owntracks" { body += "\n".utf8 }
        }
        let isOwnTracks = options.format == "owntracks"
        var head = "POST \(isOwnTracks ? "/ingest/owntracks" : "/v1/locations") HTTP/1.1\r\nHost: localhost\r\n"
        head += "Authorization: Bearer \(options.token)\r\n"
        if isOwnTracks { head += "X-Limit-U: single\r\nX-Limit-D: \(first)\r\n" }
        head += "Content-Type: \(isOwnTracks ? "application/json" : "application/x-ndjson")\r\n"
        head += "Content-Length: \(body.count)\r\n\r\n"
        let offset = head.utf8.count
        return RequestTemplate(bytes: Array(head.utf8) + body, times: times.map { $0 + offset })
    }

    mutating func run() -> Result {
        var result = Result()
        let began = ContinuousClock.now
        var next = 0
        var due = 0.0
        while (ContinuousClock.now - began).inSeconds < options.seconds {
            if interval > 0 {
                let wait = due - (ContinuousClock.now - began).inSeconds
                if wait > 0 { usleep(UInt32(wait * 1e6)) }
                due += interval
            }
            let request: [UInt8]
            if fleet != nil {
                request = fleet?.next(start: start) ?? []
            } else {
                let index = next % templates.count
                templates[index].stamp(start + templates[index].round)
                request = templates[index].bytes
            }
            next += 1
            let sent = ContinuousClock.now
            do {
                let (status, text) = try socket.exchange(request)
                if status == 200 {
                    result.latencies.append((ContinuousClock.now - sent).inSeconds)
                } else {
                    result.errors += 1
                    result.firstError = result.firstError ?? text
                }
            } catch {
                result.errors += 1
                result.firstError = result.firstError ?? "\(error)"
                usleep(10_000)
            }
        }
        socket.end()
        return result
    }
}

extension RequestTemplate {
    /// Writes a time, in seconds since 1970, into the request.
    mutating func stamp(_ time: Int64) {
        round += 1
        let digits = Array(String(time).utf8)
        for offset in times {
            for (index, digit) in digits.enumerated() { bytes[offset + index] = digit }
        }
    }
}
