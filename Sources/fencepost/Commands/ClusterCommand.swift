import ArgumentParser
import FencepostAppCommands
import FencepostCluster
import FencepostNATS
import FencepostNode
import FencepostOperation
import FencepostServer
import FencepostService
import FencepostStore

/// Shows a cluster, checks it, and changes what only a person can decide.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Shows and checks a cluster, and takes databases into and out of it.",
        discussion: """
            Example:
              fencepost cluster status --config node-1.json
            """,
        subcommands: [
            Status.self, Check.self, Lead.self, Remove.self, Backup.self, Export.self, Import.self, Restore.self,
            Recover.self, Detach.self,
        ])

    /// Prints the leader, the nodes and the log, as NATS has them.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints who leads, how far each node's copy is, and how large the log is.",
            discussion: """
                Example:
                  fencepost cluster status --config node-1.json

                It asks NATS, so it works on any machine with the configuration. The exit code is 1 when no node leads, \
                a node reports a problem or one is away whose copies are missing, 69 when NATS does not answer.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Flag(name: .long, help: "Print one JSON object.")
        var json = false

        func run() async throws {
            let view = try await cluster.view(as: "status")
            let report = try await ClusterArguments.run { try await view.report() }
            print(json ? report.json : report.text(now: WallClock.now))
            guard report.isWell else { throw ExitStatus.problems.exit }
        }
    }

    /// Lets a node lead that follows.
    struct Lead: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets another node lead: before its leader's machine is stopped, or to use another machine.",
            discussion: """
                Example:
                  fencepost cluster lead --config node-1.json node-2

                No request fails meanwhile; some take some seconds longer. The exit code is 1 when the node does not \
                lead after 20 seconds.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Option(name: .long, help: "The part: config, or the number of a partition. Needed where there are several.")
        var part: String?

        @Argument(help: "The name of the node.")
        var node: String

        func run() async throws {
            let view = try await cluster.view(as: "lead")
            let link = try link(view)
            let known = try await ClusterArguments.run {
                try await ClusterView.patiently { () async throws(NATSError) in try await view.livingNodes() }
            }
            guard let wished = known.first(where: { $0.node == node }) else {
                let names = known.map(\.node).joined(separator: ", ")
                Console.say(
                    "fencepost: There is no node \(node). Those that run are \(names.isEmpty ? "none" : names).")
                throw ExitStatus.noInput.exit
            }
            let state = wished.part(link.part)
            if state?.role == .noCopy {
                let holders = known.filter { $0.part(link.part)?.hasCopy ?? false }.map(\.node)
                Console.say(
                    "fencepost: \(node) cannot lead \(link.part), since it has no copy of it. Those that have one are "
                        + "\(holders.isEmpty ? "none" : holders.joined(separator: ", ")).")
                throw ExitStatus.problems.exit
            }
            guard let role = state?.role, role == .follower || role == .leader else {
                Console.say(
                    "fencepost: \(node) cannot lead: it is \(state?.role.rawValue ?? "new"). \(state?.problem ?? "")")
                throw ExitStatus.tryAgain.exit
            }
            // A version that does not say its schema is older than those that do.
            let older = known.filter { $0.mayLead && ($0.schema ?? 0) < (wished.schema ?? 0) }.map(\.node)
            guard older.isEmpty else {
                Console.say(
                    "fencepost: \(node) has a newer version, which leads when no older one can. Upgrade "
                        + "\(older.joined(separator: ", ")) first, or stop what is not to be upgraded.")
                throw ExitStatus.tryAgain.exit
            }
            let isDone = try await ClusterArguments.run {
                let isLeader = try await ClusterView.patiently { () async throws(NATSError) in
                    if try await leader(link, view) == node { return true }
                    try await LeaderRequest.write(node, link)
                    return false
                }
                let begin = ContinuousClock.now
                var repeated = begin
                while !isLeader, ContinuousClock.now - begin < .seconds(20) {
                    try await Task.sleep(for: .milliseconds(200))
                    if (try? await leader(link, view)) == node { return true }
                    // A leader takes a request back that it cannot fulfil, such as for a node that has just started.
                    if ContinuousClock.now - repeated > NodeRegister.interval * 2 {
                        repeated = .now
                        try? await LeaderRequest.write(node, link)
                    }
                }
                return isLeader
            }
            guard isDone else {
                Console.say("fencepost: \(node) does not lead. `fencepost cluster status` shows who does.")
                throw ExitStatus.problems.exit
            }
            print(view.parts.count == 1 ? "\(node) leads." : "\(node) leads \(link.part).")
        }

        private func link(_ view: ClusterView) throws -> PartitionLink {
            if let only = view.parts.first, view.parts.count == 1, part == nil { return only }
            if let part, let link = view.parts.first(where: { "\($0.part)" == part }) { return link }
            Console.say(
                "fencepost: --part is one of \(view.parts.map { "\($0.part)" }.joined(separator: ", ")).")
            throw ExitStatus.usage.exit
        }

        private func leader(_ link: PartitionLink, _ view: ClusterView) async throws(NATSError) -> String? {
            try await ClusterReport.read(
                view.settings.name, [link], try await ClusterLink.reports(in: view.nodes)
            ).leader
        }
    }

    /// Removes a node that will not come back.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a node that will not come back from the list of nodes.",
            discussion: """
                Example:
                  fencepost cluster remove --config node-1.json node-3

                Where each partition has copies on some of the nodes, others fetch those that the node had. Elsewhere the \
                node only disappears from the list at once, not after a minute. A node that runs is not removed: stop it. \
                One that comes back adds itself again.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Argument(help: "The name of the node.")
        var node: String

        func run() async throws {
            let view = try await cluster.view(as: "remove")
            try await ClusterArguments.run {
                let isMember = try await NodeList.read(NodeList.members, in: view.state).nodes.contains(node)
                let first = try await view.nodes.value(node)
                guard isMember || first != nil else {
                    Console.say("fencepost: There is no node \(node).")
                    throw ExitStatus.noInput.exit
                }
                // A node that runs reports every two seconds.
                try await Task.sleep(for: NodeRegister.interval * 3)
                let second = try await view.nodes.value(node)
                guard second == nil || first?.revision == second?.revision else {
                    Console.say("fencepost: \(node) runs. Stop it first.")
                    throw ExitStatus.tryAgain.exit
                }
                if isMember {
                    _ = try await NodeList.set(node, isIn: false, NodeList.members, in: view.state)
                }
                if second != nil { try await view.nodes.remove(node) }
            }
            print("\(node) is removed.")
        }
    }
}
