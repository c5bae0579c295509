import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostHistory
import FencepostModel
import FencepostParquet
import FencepostService
import FencepostStore
import Foundation

/// Writes stored history to files that analysts open.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes stored locations, visits, trips or events as GeoParquet or MF-JSON.",
        discussion: """
            Example:
              fencepost export --format geoparquet --device 'vans/*' --from 2026-11-01T00:00:00Z vans.parquet

            It only reads, also while the service runs, and writes what is stored at its start. A folder (a name that \
            ends in /, or a folder that exists) gets a file for each day and device, \
            day=2026-11-01/device=van-7/locations.parquet, as DuckDB, pyarrow and Spark read them. - is standard \
            output. MF-JSON has the trajectories of locations or trips.
            """)

    @OptionGroup var storage: StorageArguments

    @Option(name: .long, help: "geoparquet or mf-json (OGC Moving Features JSON).")
    var format: ExportFormat

    @Option(name: .long, help: "The rows: locations, visits, trips or events.")
    var kind = ExportKind.locations

    @Option(name: .long, help: "Only this device, or the devices of a pattern such as vans/*; repeatable.")
    var device: [String] = []

    @Option(name: .long, help: "Only rows from this time on, such as 2026-11-01T00:00:00Z.")
    var from: TimeArgument?

    @Option(name: .long, help: "Only rows before this time.")
    var to: TimeArgument?

    @Option(name: .long, help: "The time zone of the days of a folder, such as Europe/Lisbon; by default UTC.")
    var timeZone: ZoneArgument?

    @OptionGroup var output: OutputArguments

    @Argument(help: "The file or the folder to write, or - for standard output.", completion: .file())
    var target: String

    private var isFolder: Bool { target.hasSuffix("/") || Self.isFolder(target) }

    private static func isFolder(_ path: String) -> Bool {
        var found = ObjCBool(false)
        return FileManager.default.fileExists(atPath: path, isDirectory: &found) && found.boolValue
    }

    func validate() throws {
        guard format.holds(kind) else {
            throw ValidationError(
                "mf-json has trajectories: --kind has to be locations or trips, not \(kind.rawValue).")
        }
        if let from, let to, from.time >= to.time { throw ValidationError("--from has to be before --to.") }
        guard timeZone == nil || isFolder else {
            throw ValidationError("--time-zone is about the days of a folder: let the target end in /.")
        }
    }

    func run() async throws {
        Interrupt.install()
        let path = try storage.existingPath()
        guard !Self.isFolder(path) else {
            Console.say(
                "fencepost: \(path) is a folder, as a cluster of several partitions has it. Name a database in it with "
                    + "--storage, or ask the service: GET /v1/exports.")
            throw ExitStatus.noInput.exit
        }
        let inUse = try storage.filesInUse()
        let sink = try sink(inUse)
        let settings = try storage.configuration().storage
        let store = try StorageArguments.run { try SQLiteStore(reading: settings) }
        let devices = try await devices(in: store, of: path)
        let reader = ExportReader(store, kind, format, from: from?.time, to: to?.time)
        do {
            switch sink {
            case .file(let file): try await write(devices, reader, to: file)
            case .folder(let folder): try await write(devices, reader, to: folder)
            case .output: try await writeOutput(devices, reader)
            }
            try store.close()
        } catch let error as OutputFileError {
            Console.say("fencepost: \(error.message)")
            throw error.exitStatus.exit
        } catch let error as StoreError {
            throw StorageArguments.exit(after: error)
        } catch let error as ParquetError {
            Console.say("fencepost: \(target) cannot be written: \(error.reason).")
            throw ExitStatus.inputOutput.exit
        }
    }

    private enum Sink {
        case file(OutputFile)
        case folder(OutputFolder)
        case output
    }

    /// Checks the target before the work for it is done.
    private func sink(_ inUse: FilesInUse) throws -> Sink {
        if target == "-" {
            guard !Console.isOutputTerminal || format != .geoparquet else {
                Console.say("fencepost: A GeoParquet file is no text. Name a file in place of -, or use a pipe.")
                throw ExitStatus.usage.exit
            }
            return .output
        }
        guard isFolder else { return .file(try output.file(target, inUse: inUse)) }
        return try OutputArguments.run {
            .folder(
                try OutputFolder(
                    target, inUse: inUse, replacesExisting: output.force, isOwn: PartitionedExport.isOwn))
        }
    }

    /// The stored devices that the options name, by id.
    private func devices(in store: SQLiteStore, of path: String) async throws -> [DeviceID] {
        let known = try await store.storedDevices()
        guard !device.isEmpty else { return known }
        let ids = Set(known.map(\.rawValue))
        for name in device where !name.contains(where: { "*?".contains($0) }) && !ids.contains(name) {
            Console.say(
                "fencepost: \(path) has no device \(name). GET /v1/devices lists the ids; a pattern such as vans/* "
                    + "names several.")
            throw ExitStatus.noInput.exit
        }
        let patterns = device.map { GlobPattern($0) }
        return known.filter { id in patterns.contains { $0.matches(id.rawValue) } }
    }

    // MARK: - Writing

    private func write(_ devices: [DeviceID], _ reader: ExportReader, to output: OutputFile) async throws {
        var file = try ExportFile(kind, format)
        try await output.write(waiting: { append in
            try append(file.begin())
            try await forEachBatch(of: devices, reader) { try append(file.append($1)) }
            try append(file.finish())
        })
        say(file.rows, "to \(target)")
    }

    private func writeOutput(_ devices: [DeviceID], _ reader: ExportReader) async throws {
        var file = try ExportFile(kind, format)
        var buffer = OutputBuffer()
        buffer.bytes += file.begin()
        try await forEachBatch(of: devices, reader) { _, batch in
            buffer.bytes += try file.append(batch)
            try buffer.flushIfLarge()
        }
        buffer.bytes += try file.finish()
        try buffer.flush()
        say(file.rows, "to standard output")
    }

    private func write(_ devices: [DeviceID], _ reader: ExportReader, to folder: OutputFolder) async throws {
        var (rows, files) = (0, 0)
        try await folder.write { content in
            var export: PartitionedExport?
            func finish() throws {
                try export?.finish()
                rows += export?.rows ?? 0
                files += export?.files ?? 0
                export = nil
            }
            try await forEachBatch(of: devices, reader) { device, batch in
                if export?.device != device {
                    try finish()
                    export = PartitionedExport(kind, format, of: device, zone: timeZone?.zone ?? .gmt, in: content)
                }
                try export?.append(batch)
            }
            try finish()
        }
        say(rows, "in \(Prose.count(files, "file")) below \(target)")
    }

    /// Calls the body for each batch, until the command is interrupted: then nothing is left of what it has written.
    private func forEachBatch(
        of devices: [DeviceID], _ reader: ExportReader, _ body: (DeviceID, ExportBatch) throws -> Void
    ) async throws {
        try await reader.forEachBatch(of: devices) { device, batch in
            guard !Interrupt.isRequested else { throw ExitStatus.interrupted.exit }
            try body(device, batch)
        }
    }

    private func say(_ rows: Int, _ target: String) {
        let name = format == .mfJSON ? "trajectory" : String(kind.rawValue.dropLast())
        let plural = format == .mfJSON ? "trajectories" : kind.rawValue
        Console.say("\(Prose.count(rows, name, plural)) exported \(target)")
    }
}

extension ExportFormat: ExpressibleByArgument {}
extension ExportKind: ExpressibleByArgument {}
