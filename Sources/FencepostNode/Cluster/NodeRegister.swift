import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostOperation
import FencepostService
import FencepostStore
import Logging

/// The entry of a node among the reports in NATS, which no other process may write.
package actor NodeRegister {
    /// Another process has this node's name.
    struct Duplicate: Error, CustomStringConvertible {
        let node: String

        var description: String {
            "Another process is the node \(node) of this cluster. Give each node its own cluster.node."
        }
    }

    /// Between reports.
    package static let interval = Duration.seconds(2)
    /// Reports between looks at the size of the log.
    private static let trimRounds = 15

    private let process: PartitionNode.Process
    private let parts: [PartitionNode]
    private let mover: CopyMover
    private let waker = Waker()
    private var revision: UInt64?
    private var balance = LeaderBalance()
    /// Whether the last report was one of a process that ends.
    private var hasReportedEnd = false

    private init(_ process: PartitionNode.Process, _ parts: [PartitionNode], revision: UInt64?) {
        (self.process, self.parts, self.revision) = (process, parts, revision)
        mover = CopyMover(process.link, node: process.cluster.node, process.plan, parts)
    }

    private var link: ClusterLink { process.link }

    /// Takes a node's entry, when no other process has renewed it for several intervals. It is written before the node does
    /// anything in a part: a second process with its name would take the first one's lease.
    ///
    /// - Parameters:
    ///   - node: the node.
    ///   - process: what its parts share.
    ///   - parts: what the node does in each part.
    /// - Returns: `nil` when the process is to end.
    /// - Throws: `Duplicate`.
    static func enter(
        _ node: ClusterNode, _ process: PartitionNode.Process, _ parts: [PartitionNode]
    ) async throws -> NodeRegister? {
        let key = node.cluster.node
        var former: UInt64?
        var unchanged = 0
        while !node.events.isStopping {
            do {
                let stored = try await process.link.nodes.value(key)
                let report = stored.flatMap { NodeReport.decode($0.bytes) }
                let isFree = stored == nil || report?.role == .gone || report?.run == node.run
                if !isFree, let former, former != stored?.revision { throw Duplicate(node: key) }
                former = stored?.revision
                unchanged += 1
                if isFree || unchanged > 10 {
                    let register = NodeRegister(process, parts, revision: stored?.revision)
                    try await register.report(node)
                    return register
                }
                // Such as after a kill of this node. The ports are open, and the leader answers meanwhile.
                for part in parts { await part.lookForLeader() }
            } catch is NATSError {
                node.say(problem: "NATS does not answer.")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
        return nil
    }

    /// Reports until the task is cancelled.
    ///
    /// - Throws: `Duplicate`, after asking the process to end.
    func run(_ node: ClusterNode) async throws {
        node.events.whenStopping { [waker] in waker.wake() }
        var round = 0
        while !Task.isCancelled {
            do {
                try await report(node)
                try await answerRequests(node)
                try await balanceLeaders(node)
                try await mover.round()
            } catch let error as Duplicate {
                node.events.stop()
                throw error
            } catch {
                // The log and the lease notice that NATS is away; a report has time.
            }
            round += 1
            if round % Self.trimRounds == 0 {
                do {
                    for part in led { _ = try await part.removal.trim(applied: .max) }
                } catch {
                    node.logger.warning("the log could not be trimmed", metadata: ["error": "\(error)"])
                }
            }
            await pause(node)
        }
    }

    /// Waits until the next report, which comes at once when the process is asked to end: nodes of a newer version take over then.
    private func pause(_ node: ClusterNode) async {
        let isUnreported = node.events.isStopping && !hasReportedEnd
        await waker.pause(isUnreported ? .milliseconds(100) : Self.interval)
        waker.rest()
    }

    /// The parts that this node leads.
    private var led: [PartitionNode] { parts.filter { $0.status.current.role == .leader } }

    /// Reports that the node has ended.
    func leave(_ node: ClusterNode) async { try? await report(node) }

    private func report(_ node: ClusterNode) async throws {
        let isStopping = node.events.isStopping
        let report = NodeReport(
            node: node.cluster.node, run: node.run, version: FencepostVersion.current,
            schema: SQLiteStore.schemaVersion, mayLead: node.cluster.role == .member && !isStopping,
            parts: parts.map { part in
                let content = part.status.current
                return NodeReport.Part(
                    part: part.link.part, role: content.role, sequence: content.mark?.sequence ?? 0,
                    position: content.mark?.position ?? 0, problem: content.problem,
                    standsBy: content.standsBy, divergences: content.divergences,
                    foreign: content.foreign)
            }, address: process.address, time: WallClock.now)
        do {
            revision = try await link.nodes.set(report.node, to: report.encoded, replacing: revision)
            hasReportedEnd = isStopping
        } catch {
            // Its answer was lost, the entry has expired, or another process wrote it.
            let stored = try await link.nodes.value(report.node)
            if let stored, let other = NodeReport.decode(stored.bytes), other.run != node.run, other.role != .gone,
                stored.revision != revision
            {
                throw Duplicate(node: report.node)
            }
            revision = stored?.revision
        }
    }

    /// Does what `cluster lead` asked for: hands the part over to the requested node, if that node follows it.
    private func answerRequests(_ node: ClusterNode) async throws {
        for part in led {
            guard let request = try await LeaderRequest.read(part.link), !request.node.isEmpty else { continue }
            let candidate = try await link.reports().first { $0.node == request.node }
            // A request is for now: it is taken back whether it can be fulfilled or not.
            try await LeaderRequest.clear(request, part.link)
            let named = candidate?.part(part.link.part)
            // One of a newer version waits until this one has ended.
            let isOfThisSchema = (candidate?.schema ?? 0) <= SQLiteStore.schemaVersion
            if request.node != node.cluster.node, let named, named.role == .follower, named.isWell, isOfThisSchema {
                part.handOver(to: request.node)
            }
            balance.rest()
        }
    }

    /// Hands a partition over to a node that leads fewer, one at a time.
    private func balanceLeaders(_ node: ClusterNode) async throws {
        guard node.cluster.partitions > 1, led.count > 1 else { return }
        // One that fetches a copy works in its other parts.
        let ready = try await link.reports().filter { report in
            report.mayLead && (report.schema ?? 0) <= SQLiteStore.schemaVersion
                && report.parts.allSatisfy {
                    [.follower, .leader, .fetching, .noCopy].contains($0.role) && $0.problem == nil
                }
        }
        let placement = process.plan.placement
        let nodes = ready.map { report in
            LeaderBalance.Node(
                name: report.node, report: report.time.milliseconds,
                leads: report.parts.filter { $0.role == .leader }.map(\.part),
                holds: Set(
                    report.parts.filter { $0.isWell && placement.isHolder(report.node, of: $0.part) }.map(\.part)))
        }
        guard let (number, successor) = balance.next(nodes, node: node.cluster.node),
            let part = led.first(where: { $0.link.part == number })
        else { return }
        node.logger.info("another node leads fewer parts", metadata: ["part": "\(number)", "node": "\(successor)"])
        part.handOver(to: successor)
    }
}
