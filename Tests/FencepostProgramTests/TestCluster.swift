import Foundation
import Synchronization

/// The cluster that each program of a test is a node of, by the variables that Tests/run.sh sets for further runs of the
/// tests of the program.
enum TestCluster {
    /// Who leads a cluster of three nodes when a test begins.
    enum Leader: String {
        /// One of the others, so the test's node sends its requests on.
        case companion
        /// The node that the test starts. After its end another one takes over, before it is started again and asked to
        /// lead. With several partitions the nodes share the lead soon after the start, and a node that is killed may be
        /// back before the others take over.
        case own
    }

    private static let variables = ProcessInfo.processInfo.environment

    /// The NATS servers, `CLUSTER_OF_TESTS`: one for a cluster of one node, three for one of three nodes, separated by
    /// commas. `nil` for single nodes.
    static let url = variables["CLUSTER_OF_TESTS"]

    /// How many partitions the cluster has: `PARTITIONS_OF_TESTS`.
    static let partitions = variables["PARTITIONS_OF_TESTS"] ?? "1"

    /// Who leads: `LEADER_OF_TESTS`.
    static let leader = variables["LEADER_OF_TESTS"].flatMap(Leader.init) ?? .own

    /// How many nodes and servers the cluster has.
    static let size = url.map { $0.split(separator: ",").count } ?? 1

    /// The name of the node that a test starts.
    static let ownNode = "node"

    /// The variables that make a program a node of the cluster of a test's folder, which has the folder's name.
    static func settings(_ folder: URL, node: String) -> [String: String] {
        guard let url else { return [:] }
        return [
            "FENCEPOST_CLUSTER_URL": url, "FENCEPOST_CLUSTER_NODE": node, "FENCEPOST_CLUSTER_REPLICAS": "\(size)",
            "FENCEPOST_CLUSTER_NAME": String(folder.lastPathComponent.suffix(32)),
            "FENCEPOST_CLUSTER_LOG_LIMIT": "67108864",
            "FENCEPOST_CLUSTER_ACCEPT_LAZY_SYNC": "true", "FENCEPOST_CLUSTER_PARTITIONS": partitions,
        ]
    }
}

/// A further node of a test's cluster, which nothing ends before the test.
///
/// A shell is between the test and the node: it sends the node each signal whose name it reads, and kills it when its
/// input ends. So the node ends with the test's process too, however that ends.
final class Companion: Sendable {
    private static let script = """
        "$@" &
        while read -r signal; do kill -s "$signal" $!; done
        kill -s KILL $!
        """

    let name: String
    private let folder: URL
    private let shell: Process
    private let input = Pipe()

    /// Starts a node with a folder of its own in that of a test.
    init(_ name: String, in parent: URL, arguments: [String], environment: [String: String]) throws {
        self.name = name
        folder = parent.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments =
            ["-c", Self.script, "sh", RunningProgram.executable.path]
            + RunningProgram.arguments(in: folder) + arguments
        shell.currentDirectoryURL = parent
        shell.environment = RunningProgram.environment(
            TestCluster.settings(parent, node: name).merging(environment) { _, new in new })
        for name in ["log", "out"] { try Data().write(to: folder.appending(path: name)) }
        shell.standardInput = input
        shell.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "out"))
        shell.standardError = try FileHandle(forWritingTo: folder.appending(path: "log"))
        try shell.run()
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    var logText: String { text("log") }
    var output: String { text("out") }

    /// The port of its API; `nil` while it does not listen.
    var port: Int? { RunningProgram.port(in: logText, isLeading: false) }

    var isReady: Bool {
        get async {
            guard let port else { return false }
            return await RunningProgram.isReady(port)
        }
    }

    /// Whether it leads the only partition.
    var leads: Bool {
        get async {
            guard let port else { return false }
            return (try? await Client(port: port, token: "").isOne("fencepost_cluster_leader")) ?? false
        }
    }

    func send(signal name: String) { try? input.fileHandleForWriting.write(contentsOf: Data("\(name)\n".utf8)) }

    /// Kills the node, and waits for its end.
    func end() {
        try? input.fileHandleForWriting.close()
        shell.waitUntilExit()
    }
}

/// The companions of the node that a test starts in a folder: they run until the folder is removed.
enum Companions {
    private static let running = Mutex<[String: [Companion]]>([:])

    static func of(_ folder: URL) -> [Companion] { running.withLock { $0[folder.path] ?? [] } }

    /// Starts the companions of a folder with the arguments and the variables of the test's node, and waits until each
    /// of them is ready: one leads, or both send requests on.
    static func start(in folder: URL, arguments: [String], environment: [String: String]) async throws {
        // Only the test's node ends at a chosen point.
        let environment = environment.filter { $0.key != "FENCEPOST_CRASH_AT" }
        for number in 1..<TestCluster.size {
            let companion = try Companion(
                "companion-\(number)", in: folder, arguments: arguments, environment: environment)
            running.withLock { $0[folder.path, default: []].append(companion) }
        }
        let end = ContinuousClock.now + .seconds(60)
        for companion in of(folder) {
            while await !companion.isReady {
                guard ContinuousClock.now < end else {
                    throw RunningProgram.StartFailure("\(companion.name) is not ready", in: folder)
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Waits until one of the companions leads, in a cluster of one partition.
    static func waitForLeader(in folder: URL) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            for companion in of(folder) where await companion.leads { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw RunningProgram.StartFailure("no companion leads within 30 s", in: folder)
    }

    static func end(in folder: URL) {
        for companion in running.withLock({ $0.removeValue(forKey: folder.path) }) ?? [] { companion.end() }
    }
}
