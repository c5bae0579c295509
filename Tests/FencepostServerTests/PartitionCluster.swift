import FencepostHTTP
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTransport
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// Two nodes of a cluster of a configuration and partitions. Each part has a store of its own; the tokens of the configuration
/// are in all of them, as the mirror would have it.
struct PartitionCluster: Sendable {
    static let partitions = Partitioning(count: 3)

    /// What a node knows of the parts, as a test sets it.
    final class SharedUpstreams: Sendable {
        private let state = Mutex<(upstreams: [ClusterPartition: NodeRouter.Upstream], reads: Int)>(([:], 0))

        /// How often it was asked for.
        var reads: Int { state.withLock { $0.reads } }

        func set(_ part: ClusterPartition, leader: String?, problem: String? = nil) {
            state.withLock { $0.upstreams[part] = NodeRouter.Upstream(leader: leader, problem: problem) }
        }

        func upstream(_ part: ClusterPartition) -> NodeRouter.Upstream {
            state.withLock { state in
                state.reads += 1
                return state.upstreams[part] ?? NodeRouter.Upstream(leader: nil, problem: nil)
            }
        }
    }

    /// The ports of a node.
    struct Node: RouterNode {
        let router: NodeRouter
        let port: Int
        let upstreams: SharedUpstreams
    }

    /// How a test changes what is usual.
    struct Options: Sendable {
        var holdTime = Duration.seconds(60)
        var mirrorTime = Duration.seconds(60)
        /// How far the clocks of the nodes are ahead of those of the leaders.
        var skew = Duration.zero
        /// The first node's port for OsmAnd; `nil` for none.
        var osmandPort: Int?
        var server: @Sendable (inout ServerSettings) -> Void = { _ in }
        var configure: @Sendable (inout ServerDependencies, ClusterPartition) -> Void = { _, _ in }
        /// The parts that have a leader from the beginning.
        var parts = PartitionCluster.partitions.parts
    }

    let nodes: [Node]
    let options: Options
    var servers: [ClusterPartition: TestServer] = [:]
    /// A token with all scopes.
    var token: String { servers[.configuration]?.token ?? "" }

    /// The node that leads a part: parts are led by turns.
    func leader(of part: ClusterPartition) -> Int { part == .partition(0) || part == .partition(2) ? 1 : 0 }

    // MARK: - Running

    static func run(
        _ options: Options = Options(), _ body: @escaping @Sendable (PartitionCluster) async throws -> Void
    ) async throws {
        try await runNode(options, osmandPort: options.osmandPort) { first in
            try await runNode(options, osmandPort: nil) { second in
                let cluster = PartitionCluster(nodes: [first, second], options: options)
                try await cluster.run(options.parts[...]) { cluster in
                    if let configuration = cluster.servers[.configuration] {
                        let time = ManualTime(TestServer.now + options.skew)
                        for node in cluster.nodes { node.router.decode(with: configuration.store, clock: time.clock) }
                    }
                    try await body(cluster)
                }
            }
        }
    }

    private static func runNode(
        _ options: Options, osmandPort: Int?, _ body: @escaping @Sendable (Node) async throws -> Void
    ) async throws {
        var settings = ServerSettings.onAnyPort
        settings.osmandPort = osmandPort
        options.server(&settings)
        let upstreams = SharedUpstreams()
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let router = NodeRouter(
            settings, limits: ConnectionLimits(), logger: logger, now: { TestServer.now }, metricsText: { "own 1\n" },
            holdTime: options.holdTime, partitions: partitions, mirrorTime: options.mirrorTime,
            upstream: { upstreams.upstream($0) }, makeCopy: { _ in throw CancellationError() },
            onListening: { continuation.yield($0) })
        router.setKey(NodeRouterTests.key)
        let group = ServiceGroup(services: [router], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                let result: Result<Void, any Error>
                do {
                    result = .success(try await body(Node(router: router, port: port, upstreams: upstreams)))
                } catch {
                    result = .failure(error)
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return try result.get()
            }
        }
    }

    /// Runs the services of parts.
    func run(
        _ parts: ArraySlice<ClusterPartition>, _ body: @escaping @Sendable (PartitionCluster) async throws -> Void
    ) async throws {
        guard let part = parts.first else { return try await body(self) }
        try await lead(part, on: leader(of: part)) { cluster in try await cluster.run(parts.dropFirst(), body) }
    }

    /// Runs the service of a part on a node, while a closure runs.
    func lead(
        _ part: ClusterPartition, on index: Int, _ body: @escaping @Sendable (PartitionCluster) async throws -> Void
    ) async throws {
        let (leader, other) = (nodes[index], nodes[1 - index])
        try await TestServer.run { dependencies in
            dependencies.router = leader.router.attachment(part)
            dependencies.partition = (Self.partitions, part)
            options.server(&dependencies.settings)
            if let tokens = servers[.configuration]?.store {
                dependencies.untilReady = { [store = dependencies.store] in
                    for token in (try? await tokens.tokens()) ?? [] { try? await store.save(token) }
                }
            }
            options.configure(&dependencies, part)
        } _: { server in
            var cluster = self
            cluster.servers[part] = server
            leader.upstreams.set(part, leader: nil)
            other.upstreams.set(part, leader: leader.url)
            try await body(cluster)
            other.upstreams.set(part, leader: nil)
        }
    }

    /// Issues a token, which all parts have.
    func issue(_ scopes: [String], device: String? = nil) async throws -> String {
        let configuration = try #require(servers[.configuration])
        let text = try await configuration.issue(scopes, device: device)
        for token in try await configuration.store.tokens() {
            for server in servers.values { try await server.store.save(token) }
        }
        return text
    }

    /// The partitions that have a device.
    func partitions(of device: String) -> [ClusterPartition] {
        servers.filter { $0.value.worker.device(DeviceID(device)) != nil }.keys.sorted()
    }

    /// A device of a partition.
    static func device(_ part: ClusterPartition, _ number: Int = 0) -> String {
        var index = number * 100
        while partitions.part(of: DeviceID("d\(index)")) != part { index += 1 }
        return "d\(index)"
    }
}
