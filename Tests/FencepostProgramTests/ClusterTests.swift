import Foundation
import Testing

/// Nodes and NATS servers as processes: what `make cluster` runs, and nodes that cannot work.
@Suite("Cluster", .serialized) struct ClusterTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// `make nats-server` installs it; `FENCEPOST_NATS_SERVER` names another.
    private static let server: URL? = {
        let named = ProcessInfo.processInfo.environment["FENCEPOST_NATS_SERVER"].map { URL(filePath: $0) }
        let own = folder.appending(path: "../../.build/nats/bin/nats-server").standardizedFileURL
        let found = [named, own].compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        if found == nil { print("Skipped: the test of a cluster. `make nats-server` installs what it needs.") }
        return found
    }()

    /// Each feature of a cluster once.
    private static let features = [
        // The leader is killed.
        ["cluster.py"],
        // The devices are divided among several leaders.
        ["cluster.py", "--partitions", "3"],
        // Copies are on some of the nodes: nodes join, are killed and are removed.
        ["copies.py"],
        // Each command, on two nodes.
        ["commands.py"],
        // To a version with another schema, node by node.
        ["upgrade.py"],
        // A record ends each node that applies it.
        ["poison.py"],
        // Nodes that are started wrongly.
        ["refusals.py"],
    ]

    /// Further faults and surroundings of them: `Tests/run.sh` says which part of them runs.
    private static let matrix = [
        // It begins with a single node's database; a leader is stopped, and a follower's disk is lost.
        ["cluster.py", "--single", "--rounds", "2", "--seed", "1", "--faults", "SIGTERM"],
        ["cluster.py", "--single", "--rounds", "1", "--seed", "2", "--faults", "loss of"],
        // A node ends between two steps: of a commit, of a takeover.
        ["cluster.py", "--rounds", "2", "--seed", "1", "--faults", "leader ends between,ends as it begins"],
        ["cluster.py", "--rounds", "2", "--seed", "2", "--faults", "has handed over,has applied"],
        // The disk of a node is full for a while; the log is.
        ["cluster.py", "--rounds", "1", "--seed", "1", "--faults", "leader's disk is full"],
        ["cluster.py", "--rounds", "1", "--seed", "1", "--faults", "log reaches its limit"],
        // A node begins while JetStream is off on a server.
        ["cluster.py", "--rounds", "1", "--seed", "1", "--faults", "a NATS server is full"],
        // Nodes are cut off from NATS.
        ["cluster.py", "--rounds", "2", "--seed", "3", "--faults", "cut off"],
        ["cluster.py", "--partitions", "3", "--single", "--rounds", "2", "--seed", "1", "--faults", "SIGTERM"],
        ["cluster.py", "--partitions", "3", "--rounds", "1", "--seed", "2", "--faults", "loss of"],
        ["partitions.py"],
        [
            "cluster.py", "--partitions", "4", "--copies", "2", "--single", "--rounds", "1", "--seed", "4",
            "--faults", "kill -9 of the leader",
        ],
        ["cluster.py", "--partitions", "4", "--copies", "2", "--rounds", "1", "--seed", "2", "--faults", "loss of"],
        ["upgrade.py", "--kill"],
        ["upgrade.py", "--partitions", "3"],
    ]

    /// What of the matrix runs: all of it where `MATRIX_OF_TESTS` is absent or `all`, nothing for `none`, else the part
    /// with this number, from 1 to 6.
    private static let chosen: [[String]] = {
        switch ProcessInfo.processInfo.environment["MATRIX_OF_TESTS"] ?? "all" {
        case "all": return matrix
        case "none": return []
        case let text:
            guard let part = Int(text), (1...6).contains(part) else { fatalError("MATRIX_OF_TESTS is \(text)") }
            return matrix.enumerated().filter { $0.offset % 6 == part - 1 }.map(\.element)
        }
    }()

    @Test(
        "loses nothing", .enabled(if: server != nil), .timeLimit(.minutes(5)), arguments: features + chosen)
    func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = Self.folder.appending(path: "../Cluster/\(arguments[0])").standardizedFileURL.path
        process.arguments =
            ["python3", script] + arguments.dropFirst()
            + ["--program", RunningProgram.executable.path, "--nats", try #require(Self.server).path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        // The findings are in the last lines.
        let end = text.split(separator: "\n").suffix(12).joined(separator: "\n")
        if process.terminationStatus != 0 { print(text) }
        #expect(process.terminationStatus == 0, "\(end)")
    }

    @Test(
        "is refused with a sentence",
        arguments: [
            (#"{"cluster":{"node":"a"}}"#, "cluster.url"),
            (#"{"cluster":{"url":"nats://127.0.0.1:1","node":"a b"}}"#, "cluster.node"),
            (#"{"cluster":{"url":"nats://127.0.0.1:1","node":"a","replicas":2}}"#, "cluster.replicas"),
            (#"{"cluster":{"url":"nats://127.0.0.1:1","node":"a","partitions":257}}"#, "/cluster/partitions"),
            (#"{"cluster":{"url":"nats://127.0.0.1:1","node":"a","copies":2}}"#, "cluster.partitions above 1"),
            (
                #"{"cluster":{"url":"nats://127.0.0.1:1","node":"a","partitions":4,"copies":1}}"#,
                "lost with one disk"
            ),
        ])
    func misuse(_ config: String, _ key: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-cluster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "config.json")
        try Data(config.utf8).write(to: file)
        let process = Process()
        process.executableURL = RunningProgram.executable
        process.arguments = ["serve", "--config", file.path]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 78)
        #expect(text.contains(key), "\(text)")
    }
}
