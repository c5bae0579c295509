import FencepostCluster
import FencepostFiles
import FencepostHTTP
import FencepostModel
import FencepostMonitor
import FencepostNATS
import FencepostOperation
import FencepostServer
import FencepostService
import FencepostStore
import FencepostTracing
import Foundation
import Logging
import Synchronization

/// A node of a cluster: its ports, its connection to NATS, and what it does in each part.
final class ClusterNode: Sendable {
    let cluster: ClusterSettings
    let logger = Logger(label: "fencepost.cluster")
    /// Identifies this run of the process.
    let run = UInt64.random(in: .min ... .max)
    let events: ProcessEvents
    /// What the node is in each part.
    let statuses: [ClusterPartition: ClusterStatus]
    private let server: ServerSettings
    private let storage: StorageSettings
    private let monitor: MonitorSettings
    private let router: NodeRouter
    private let tls: PeerTLS?
    private let ports: RouterRunner
    private let lead: @Sendable (LeaderLog, Leadership) async throws -> Void
    private let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    /// The time by which this node decodes locations.
    private let clock: ServiceClock

    /// More than five parameters, because each is of another part of the process.
    ///
    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - cluster: its usable settings of the cluster.
    ///   - events: the signals of the process.
    ///   - metricsText: the body of `/metrics`.
    ///   - tracer: records traces; `nil` for none.
    ///   - lead: runs the service over the database of a part until it is stopped.
    /// - Throws: when the certificates of the settings cannot be used.
    init(
        _ configuration: Configuration, _ cluster: ClusterSettings, events: ProcessEvents,
        metricsText: @escaping @Sendable () -> String, tracer: Tracer?,
        lead: @escaping @Sendable (LeaderLog, Leadership) async throws -> Void
    ) throws(PeerTLS.Failure) {
        (self.cluster, self.events, self.lead) = (cluster, events, lead)
        (server, storage, monitor) = (configuration.server, configuration.storage, configuration.monitor)
        let start = ContinuousClock.now
        clock = ServiceClock(steady: { ContinuousClock.now - start }, wall: { WallClock.now })
        let partitioning = cluster.partitioning
        let statuses = Dictionary(
            uniqueKeysWithValues: partitioning.parts.map {
                ($0, ClusterStatus(partitioning == .single ? nil : $0))
            })
        self.statuses = statuses
        let (listening, continuation) = AsyncStream.makeStream(of: Int.self)
        let tls = try cluster.peerTLS()
        self.tls = tls
        router = NodeRouter(
            configuration.server, limits: ConnectionLimits().bounded(byDescriptors: DescriptorLimit.raise()),
            logger: Logger(label: "fencepost.http"), now: { WallClock.now }, metricsText: metricsText,
            holdTime: cluster.holdTime, partitions: partitioning,
            peers: cluster.peerPort.flatMap { port in tls.map { (port: port, tls: $0) } }, tracer: tracer,
            upstream: { statuses[$0]?.upstream ?? NodeRouter.Upstream(leader: nil, problem: nil) },
            makeCopy: { [storage] in try await CopyFetcher.make(of: Self.storage(storage, $0, partitioning).path) },
            onListening: { continuation.yield($0) })
        ports = RouterRunner(router, bound: (listening, continuation))
    }

    /// The database of a part: that of the settings, or one of its own in the same folder.
    static func storage(
        _ settings: StorageSettings, _ part: ClusterPartition, _ partitioning: Partitioning
    ) -> StorageSettings {
        var settings = settings
        settings.path = PartitionFile.path(of: part, in: partitioning, settings.path)
        return settings
    }

    /// Works until the process is asked to end.
    ///
    /// - Throws: a `ServiceFailure`, or another error of the program.
    func work() async throws {
        do {
            // `storage.path` may name a folder that is not there yet.
            try? FileManager.default.createDirectory(
                atPath: FileName.folder(of: storage.path), withIntermediateDirectories: true)
            let port = try await ports.start()
            logger.info("listening as a node of a cluster", metadata: ["host": "\(server.host)", "port": "\(port)"])
            manager.ready()
            try await work(port)
            await ports.stop()
        } catch let error as ClusterLink.Misuse {
            throw ServiceFailure(.configuration, "\(error)")
        } catch let error as ReplicaError {
            throw ServiceFailure(.configuration, "\(error)")
        } catch let error as StoreError {
            throw ServiceFailure(error)
        } catch let error as NodeRegister.Duplicate {
            throw ServiceFailure(.tryAgain, "\(error)")
        } catch let error as RouterRunner.NotBound {
            throw ServiceFailure(
                .unavailable, "\(server.host):\(server.port) cannot be listened on: \(error.reason)")
        }
    }

    /// Refuses to begin without the data of a single node that is in the folder.
    private func refuseSingleNode() throws {
        let folder = FileName.folder(of: storage.path)
        let single = folder + "/" + PartitionFile.single
        guard cluster.partitions > 1, !FileManager.default.fileExists(atPath: storage.path),
            FileManager.default.fileExists(atPath: single)
        else { return }
        throw ClusterLink.Misuse(
            description: "\(single) is the database of a single node. Run `fencepost cluster import` to begin the "
                + "cluster with it, or move it away.")
    }

    private func work(_ port: Int) async throws {
        try refuseSingleNode()
        guard let link = try await link() else { return }
        router.setKey(link.identity.requestKey)
        let plan = CopyPlan(cluster, in: link.state)
        guard try await hasMembers(plan) else { return }
        let first = Mutex<PartitionNode?>(nil)
        let process = PartitionNode.Process(
            cluster: cluster, link: link, run: run, address: address(link, port), tls: tls, events: events,
            router: router,
            clock: clock, standby: cluster.hasStandby && cluster.role == .member ? monitor : nil,
            upgrades: UpgradeWatch(link, node: cluster.node),
            configuration: ConfigurationMirror.Source(
                path: Self.storage(storage, cluster.partitioning.configuration, cluster.partitioning).path,
                position: { first.withLock { $0 }?.position ?? 0 }, changes: EventSignal(),
                disable: { [router] in try await router.turnOff($0) }), plan: plan, lead: lead)
        let parts = link.parts.compactMap { part in
            statuses[part.part].map {
                PartitionNode(part, process, Self.storage(storage, part.part, cluster.partitioning), $0)
            }
        }
        first.withLock { $0 = parts.first }
        guard let register = try await NodeRegister.enter(self, process, parts) else { return }
        let tokens = cluster.partitions == 1 ? nil : parts.first.map(ConfigurationTokens.init)
        if let tokens { router.decode(with: tokens, clock: clock) }
        let reporting = Task { try await register.run(self) }
        let watchdog = Task { [manager] in
            while let interval = manager.watchdog, !Task.isCancelled {
                manager.alive()
                try? await Task.sleep(for: interval)
            }
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await work(in: parts))
        } catch {
            result = .failure(error)
        }
        manager.stopping()
        if tokens != nil { router.decode(with: nil, clock: clock) }
        watchdog.cancel()
        reporting.cancel()
        let ended = await reporting.result
        await register.leave(self)
        try result.get()
        // The reports end before they are cancelled only when another process has this node's name.
        if case .failure(let error as NodeRegister.Duplicate) = ended { throw error }
    }

    /// Makes the node a member, and reads which others there are: before that it is not known of which parts it is to have
    /// copies.
    ///
    /// - Returns: false when the process is to end.
    private func hasMembers(_ plan: CopyPlan) async throws -> Bool {
        guard cluster.copies != nil else { return true }
        while !events.isStopping {
            do {
                try await plan.update()
                return true
            } catch {
                say(problem: "NATS is not ready: \(error)")
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        return false
    }

    /// Works in all parts until the end of the process. When one part cannot go on, the others end too.
    private func work(in parts: [PartitionNode]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in parts { group.addTask { try await part.work() } }
            var failure: (any Error)?
            while let result = await group.nextResult() {
                guard case .failure(let error) = result else { continue }
                failure = failure ?? error
                events.stop()
            }
            if let failure { throw failure }
        }
    }

    /// Where the other nodes send requests to this one.
    private func address(_ link: ClusterLink, _ port: Int) -> String {
        if let address = cluster.address { return address }
        let isEvery = ["0.0.0.0", "::", "[::]", ""].contains(server.host)
        let host = isEvery ? link.connection.localAddress ?? server.host : server.host
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return tls == nil ? "http://\(name):\(port)" : "https://\(name):\(router.peerPort ?? port)"
    }

    /// Connects to NATS, again and again while it does not answer; `nil` when the process is to end.
    private func link() async throws -> ClusterLink? {
        var known: String?
        for part in cluster.partitioning.parts where known == nil {
            known = try ReplicaStore.mark(of: Self.storage(storage, part, cluster.partitioning).path)?.cluster
        }
        let fresh = try ClusterLink.Identity.random(cluster)
        // Logged once, however often it is met.
        var logged = ""
        while !events.isStopping {
            do {
                return try await ClusterLink.open(cluster, knownID: known, fresh: fresh)
            } catch let error as NATSError {
                say(problem: "NATS is not ready: \(error)")
                if "\(error)" != logged {
                    logger.warning("NATS is not ready; trying again", metadata: ["error": "\(error)"])
                }
                logged = "\(error)"
                try await Task.sleep(for: .seconds(1))
            }
        }
        return nil
    }

    /// Says why the node has not begun.
    func say(problem: String) {
        for status in statuses.values { status.set(.starting, problem: problem) }
    }
}

extension ClusterSettings {
    /// The certificates by which nodes know each other; `nil` for plain connections.
    ///
    /// - Throws: a `PeerTLS.Failure` when they cannot be used.
    func peerTLS() throws(PeerTLS.Failure) -> PeerTLS? {
        guard let certificateFile, let keyFile, let peerCAFile else { return nil }
        return try PeerTLS(certificateFile: certificateFile, keyFile: keyFile, authorityFile: peerCAFile)
    }
}
