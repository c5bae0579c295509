import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostModel
import FencepostNATS
import FencepostNode
import FencepostOperation
import FencepostServer
import FencepostService
import FencepostStore
import Foundation

extension ClusterCommand {
    /// Copies the database of the cluster into a file.
    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies the cluster's database to a file, from a node that follows if there is one.",
            discussion: """
                Example:
                  fencepost cluster backup --config node-1.json cluster-backup.sqlite

                It runs on any machine that reaches NATS and the nodes. The copy is checked before it gets its name. Of a \
                cluster of several partitions it makes a folder, with a database for each part. It contains positions and secrets: protect it like the database. `fencepost cluster restore` begins the \
                cluster again with it.
                """)

        @OptionGroup var cluster: ClusterArguments
        @OptionGroup var output: OutputArguments

        @Argument(help: "The file to write, or the folder of a cluster of several partitions.", completion: .file())
        var file: String

        func run() async throws {
            let settings = try cluster.read().cluster
            guard settings.partitions > 1 else {
                return try await ClusterCommand.write(
                    .partition(0), to: file, from: cluster, output, as: "backup"
                ) { _ in }
            }
            do {
                try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
            } catch {
                Console.say("fencepost: The folder \(file) cannot be made.")
                throw ExitStatus.cannotCreate.exit
            }
            // The configuration comes last: what a partition has of it is never newer then.
            for part in settings.partitioning.parts.reversed() {
                try await ClusterCommand.write(
                    part, to: file + "/" + PartitionFile.name(of: part), from: cluster, output, as: "backup"
                ) { _ in }
            }
        }
    }

    /// Makes a database of a single node of the cluster's.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies the cluster's database to a file as that of a single node. The cluster goes on.",
            discussion: """
                Example:
                  fencepost cluster export --config node-1.json fencepost.sqlite

                `fencepost serve --storage fencepost.sqlite` goes on with it, without a cluster: with the same tokens, \
                regions, endpoints and history as of that moment. Endpoints get messages from both then.
                """)

        @OptionGroup var cluster: ClusterArguments
        @OptionGroup var output: OutputArguments

        @Argument(help: "The file to write.", completion: .file())
        var file: String

        func run() async throws {
            try cluster.refusePartitions()
            try await ClusterCommand.write(.partition(0), to: file, from: cluster, output, as: "export") { path in
                _ = try SQLiteStore.detach(path)
            }
        }
    }

    /// Fetches the copy of a part, changes it, and writes it to a file.
    ///
    /// More than five parameters, because each is another option of the commands.
    private static func write(
        _ part: ClusterPartition, to file: String, from cluster: ClusterArguments, _ output: OutputArguments,
        as command: String,
        _ change: (String) throws -> Void
    ) async throws {
        let (configuration, _) = try cluster.read()
        let target = try output.file(file, inUse: FilesInUse(configuration, file: cluster.config))
        let view = try await cluster.view(as: command)
        let path = file + ".fetched-" + UUID().uuidString.prefix(8)
        defer { for suffix in ["", "-wal", "-shm", ".lock"] { unlink(path + suffix) } }
        let (node, mark) = try await ClusterArguments.run {
            let fetched = try await view.fetchAny(part, to: path)
            try change(path)
            return fetched
        }
        try StorageArguments.run { try OutputArguments.run { try FencepostStore.Backup.make(of: path, to: target) } }
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int ?? 0
        Console.say(
            "The copy of \(node.node), up to record \(mark.position), was written to \(file), \(Prose.count(size, "byte"))."
        )
    }

    /// Begins a cluster with the database of a single node.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes the database of a single node the first copy of a new cluster.",
            discussion: """
                Example:
                  fencepost cluster import --config node-1.json

                The database is that of `storage.path`, and its service has to be stopped. For several partitions it is \
                divided into one for each part, and stays as it is. Start this node first \
                afterwards: the others, with a new `storage.path` each, fetch their copies from it. Nothing changes \
                when it fails, and it can be repeated.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Option(
            name: .long,
            help: "The database, for a cluster of several partitions; fencepost.sqlite in the node's folder.",
            completion: .file())
        var from: String?

        func run() async throws {
            let (configuration, settings) = try cluster.read()
            let path = configuration.storage.path
            if settings.partitions > 1 { try split(for: settings, in: FileName.folder(of: path)) }
            let files = settings.partitioning.parts.map { PartitionFile.path(of: $0, in: settings.partitioning, path) }
            let wasCopy = try StorageArguments.run { try ReplicaStore.mark(of: path) != nil }
            do {
                try await ClusterFounding(settings, path: path).begin()
            } catch let error where error is ClusterLink.Misuse || error is NATSError || error is ReplicaError {
                if !wasCopy { for file in files { _ = try? SQLiteStore.detach(file) } }
                try await ClusterArguments.run { throw error }
            } catch let error as StoreError {
                throw StorageArguments.exit(after: error)
            }
            let copies =
                files.count == 1
                ? "\(path) is the first copy" : "The databases in the folder of \(path) are the first copies"
            print("\(copies) of the cluster \(settings.name) now. Start this node.")
        }

        /// Writes the database of each part that is not there yet, since the command can be repeated.
        private func split(for settings: ClusterSettings, in folder: String) throws {
            let source = from ?? folder + "/" + PartitionFile.single
            guard FileManager.default.fileExists(atPath: source) else {
                Console.say("fencepost: There is no database \(source). Name it with --from.")
                throw ExitStatus.noInput.exit
            }
            for part in settings.partitioning.parts {
                let file = folder + "/" + PartitionFile.name(of: part)
                if FileManager.default.fileExists(atPath: file) { continue }
                try StorageArguments.run {
                    try OutputArguments.run {
                        try DatabaseSplit.make(part, of: settings.partitioning, from: source, to: OutputFile(file))
                    }
                }
                Console.say("\(file) is written.")
            }
        }
    }

    /// Begins the cluster again with a backup.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begins the cluster again with a backup. All nodes have to be stopped.",
            discussion: """
                Example:
                  fencepost cluster restore --config node-1.json cluster-backup.sqlite

                The backup becomes the database of this node, whose old one is kept under another name, and the log in \
                NATS begins again. Start this node first; move the databases of the other nodes away, so that they fetch \
                their copies. A backup of a single node will do too.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Argument(help: "The backup to read, or the folder of a cluster of several partitions.", completion: .file())
        var file: String

        func run() async throws {
            let (configuration, settings) = try cluster.read()
            guard FileManager.default.fileExists(atPath: file) else {
                Console.say("The file \(file) does not exist.")
                throw ExitStatus.noInput.exit
            }
            let (founding, partitioning) = (
                ClusterFounding(settings, path: configuration.storage.path), settings.partitioning
            )
            let sources = partitioning.parts.map { part in
                (part, partitioning == .single ? file : file + "/" + PartitionFile.name(of: part))
            }
            if let missing = sources.first(where: { !FileManager.default.fileExists(atPath: $0.1) }) {
                Console.say("The backup has no \(missing.1): it is not one of a cluster of this number of partitions.")
                throw ExitStatus.noInput.exit
            }
            try await ClusterArguments.run { try await founding.refuseLivingNodes() }
            for (part, source) in sources {
                let target = PartitionFile.path(of: part, in: partitioning, configuration.storage.path)
                let old = try await ClusterArguments.run {
                    try OutputArguments.run { try FencepostStore.Backup.restore(source, to: target, at: WallClock.now) }
                }
                if let old { Console.say("The old database is \(old).") }
            }
            try await ClusterArguments.run { try await founding.beginAgain() }
            print("The cluster \(settings.name) begins again with \(file). Start this node first.")
        }
    }

    /// Begins the cluster again with the database of a node.
    struct Recover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Begins the cluster again with this node's copy, after NATS has lost its log. All nodes have to be stopped.",
            discussion: """
                Example:
                  fencepost cluster recover --config node-1.json

                Run it on the node whose copy is the newest: `fencepost cluster status` and the logs of the nodes show the \
                positions. Records that the log still has are applied first; --force goes on where they cannot be. Start \
                this node first; move the databases of the other nodes away, so that they fetch their copies.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Flag(name: .long, help: "Go on although the log has records that this copy cannot apply: they are lost.")
        var force = false

        func run() async throws {
            let (configuration, settings) = try cluster.read()
            let founding = ClusterFounding(settings, path: configuration.storage.path)
            let missing = founding.missingFiles
            guard missing.isEmpty else {
                Console.say(
                    "fencepost: This node has no \(missing.joined(separator: ", ")), and the cluster would begin again without "
                        + "what is in them. Copy each from the node that has the newest one.")
                throw ExitStatus.noInput.exit
            }
            let behind = try await ClusterArguments.run {
                try await founding.refuseLivingNodes()
                return try await founding.applyLogs()
            }
            guard behind.isEmpty || force else {
                Console.say(
                    "fencepost: The log has records that this copy cannot apply. Run this on the node with the newest copy, "
                        + "or lose them with --force.")
                throw ExitStatus.problems.exit
            }
            try await ClusterArguments.run { try await founding.beginAgain() }
            print(
                "The cluster \(settings.name) begins again with \(configuration.storage.path). Start this node first.")
        }
    }

    /// Makes a copy a database of its own.
    struct Detach: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a copy of a cluster's database the database of a single node, for ever.",
            discussion: """
                Example:
                  fencepost cluster detach --storage fencepost.sqlite

                The node has to be stopped. The cluster goes on without this copy.
                """)

        @OptionGroup var storage: StorageArguments

        func run() throws {
            let path = try storage.existingPath()
            let isDone = try StorageArguments.run { try SQLiteStore.detach(path) }
            print(isDone ? "\(path) is the database of a single node now." : "\(path) was no copy of a cluster.")
        }
    }
}
