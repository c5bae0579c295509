import FencepostTransport
import Foundation
import Testing

/// A process of `fencepost serve` on a free port.
final class RunningProgram: Sendable {
    struct StartFailure: Error, CustomStringConvertible {
        let description: String
    }

    static let executable =
        ProcessInfo.processInfo.environment["FENCEPOST_SOAK_PROGRAM"].map { URL(filePath: $0) }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "fencepost")

    /// NATS servers, on which each program is a cluster of one node: `CLUSTER_OF_TESTS`, which Tests/run.sh sets for a
    /// second run of the tests of the service. `nil` for single nodes.
    static let clusterURL = ProcessInfo.processInfo.environment["CLUSTER_OF_TESTS"]

    /// How many partitions that cluster has: `PARTITIONS_OF_TESTS`.
    static let partitions = ProcessInfo.processInfo.environment["PARTITIONS_OF_TESTS"] ?? "1"

    /// The variables that make a program with its database in a folder a cluster of one node; the folder is its name.
    private static func cluster(_ folder: URL) -> [String: String] {
        guard let clusterURL else { return [:] }
        return [
            "FENCEPOST_CLUSTER_URL": clusterURL, "FENCEPOST_CLUSTER_NODE": "node", "FENCEPOST_CLUSTER_REPLICAS": "1",
            "FENCEPOST_CLUSTER_NAME": String(folder.lastPathComponent.suffix(32)),
            "FENCEPOST_CLUSTER_LOG_LIMIT": "67108864",
            "FENCEPOST_CLUSTER_ACCEPT_LAZY_SYNC": "true", "FENCEPOST_CLUSTER_PARTITIONS": partitions,
        ]
    }

    let port: Int
    /// The first token of the database, if this start issued it.
    let firstToken: String?
    private let process: Int32
    private let log: URL

    /// Starts the program and waits until it accepts requests. Its database, output and log are in `folder`.
    init(in folder: URL, arguments: [String] = [], environment: [String: String] = [:]) async throws {
        let number = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        log = folder.appending(path: "log-\(number)")
        let output = folder.appending(path: "out-\(number)")
        for file in [log, output] { try Data().write(to: file) }
        let child = Process()
        child.executableURL = Self.executable
        child.arguments =
            ["serve", "--port", "0", "--storage", folder.appending(path: "fencepost.sqlite").path] + arguments
        child.currentDirectoryURL = folder
        child.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("FENCEPOST_") }
            .merging(Self.cluster(folder)) { _, new in new }
            .merging(environment.merging(["FENCEPOST_LOG_FORMAT": "json"]) { a, _ in a }) { _, new in new }
        child.standardInput = FileHandle.nullDevice
        child.standardOutput = try FileHandle(forWritingTo: output)
        child.standardError = try FileHandle(forWritingTo: log)
        // A database with a token gets no other one.
        let isFirst = !["fencepost.sqlite", "config.sqlite"].contains {
            FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
        }
        try child.run()
        process = child.processIdentifier
        let end = ContinuousClock.now + .seconds(60)
        var found: Int?
        var token: String?
        while found == nil || (isFirst && token == nil) {
            guard child.isRunning, ContinuousClock.now < end else {
                if child.isRunning { kill(process, SIGKILL) }
                throw StartFailure(description: (try? String(contentsOf: log, encoding: .utf8)) ?? "no log")
            }
            // A test cannot wait for events of another process.
            try await Task.sleep(for: .milliseconds(10))
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            found = text.firstMatch(of: /"msg":"listening".*"port":(\d+)/).flatMap { Int($0.output.1) }
            let printed = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            token = printed.firstMatch(of: /fp_[0-9A-Za-z]+/).map { String($0.output) }
        }
        port = found ?? 0
        firstToken = token
        running = child
    }

    private let running: Process

    var isRunning: Bool { running.isRunning }
    var logText: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// Kills the process.
    func killHard() async {
        kill(process, SIGKILL)
        _ = await waitForEnd()
    }

    /// - Returns: the exit status.
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        kill(process, signal)
        return await waitForEnd()
    }

    func send(signal: Int32) { kill(process, signal) }

    /// Waits for the end of the process, and kills it after a time.
    func waitForEnd(atMost limit: Duration) async -> Int32 {
        let end = ContinuousClock.now + limit
        while running.isRunning, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
        if running.isRunning { kill(process, SIGKILL) }
        return await waitForEnd()
    }

    func waitForEnd() async -> Int32 {
        while running.isRunning { try? await Task.sleep(for: .milliseconds(5)) }
        return running.terminationStatus
    }
}

/// A client of the service.
struct Client: Sendable {
    struct Answer {
        let status: Int
        let text: String
        let headers: [String: String]

        /// The parsed body.
        var json: Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
        var object: [String: Any] { json as? [String: Any] ?? [:] }
        var data: [[String: Any]] { object["data"] as? [[String: Any]] ?? [] }
    }

    let port: Int
    let token: String

    func request(
        _ method: String, _ path: String, body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:], timeout: Duration = .seconds(20)
    ) async throws -> Answer {
        var request = HTTPClientRequest(
            method, "http://127.0.0.1:\(port)\(path)", body: body.map { Array($0.utf8) })
        request.setHeader("Authorization", "Bearer \(token)")
        if body != nil { request.setHeader("Content-Type", type) }
        for (name, value) in headers { request.setHeader(name, value) }
        request.total = timeout
        let answer = try await HTTPClient.shared.response(to: request)
        return Answer(
            status: answer.status, text: String(decoding: answer.body, as: UTF8.self),
            headers: Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first })
    }

    /// The data of the first events of the event stream.
    func firstEvents(_ count: Int, of path: String) async throws -> [[String: Any]] {
        @Sendable func lines(_ body: [UInt8]) -> [Substring] {
            let text = String(decoding: body, as: UTF8.self)
            guard text.hasSuffix("\n\n") else { return [] }
            return text.split(separator: "\n").filter { $0.hasPrefix("data:") }
        }
        var request = HTTPClientRequest("GET", "http://127.0.0.1:\(port)\(path)")
        request.setHeader("Authorization", "Bearer \(token)")
        request.isEnough = { lines($0).count >= count }
        let answer = try await HTTPClient.shared.response(to: request)
        return lines(answer.body).prefix(count).compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.dropFirst(5).utf8)) as? [String: Any]
        }
    }

    /// All elements of a list, read page by page.
    func all(_ path: String) async throws -> [[String: Any]] {
        var items: [[String: Any]] = []
        var next: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let answer = try await request("GET", path + separator + "limit=500" + (next.map { "&cursor=\($0)" } ?? ""))
            guard answer.status == 200 else {
                Issue.record("GET \(path): \(answer.status) \(answer.text)")
                return items
            }
            items += answer.data
            next = answer.object["nextCursor"] as? String
        } while next != nil
        return items
    }
}

/// A temporary folder of a test.
final class ServiceFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "fencepost-service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
