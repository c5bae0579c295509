import ArgumentParser
import FencepostAppCommands
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostNode
import FencepostOperation
import FencepostService
import FencepostStore
import Foundation
import Synchronization

/// Imports history files: through the service that uses the database, else into the database.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports history files into the database. A file that cannot be read stores nothing.",
        discussion: """
            Example:
              fencepost import --device me Regions/tracks/day.ndjson

            Stored fixes are counted as duplicates, so a file can be imported again. The history of the devices is \
            evaluated in the order of time; endpoints get no messages about it unless they have "history":true. While a \
            service runs on the database, it does the work; a large file continues in the background when the command \
            ends.
            """)

    @OptionGroup var storage: StorageArguments
    @OptionGroup var service: ServiceArguments

    @Option(name: .long, help: "The device of records without one.")
    var device = "default"

    @Option(name: .long, help: "The format, instead of detecting it by name and first bytes.")
    var format: LocationFormat?

    @Flag(name: .long, help: "Print the report without storing anything.")
    var dryRun = false

    @Argument(help: "History files; - for standard input.", completion: .file())
    var files: [String]

    func run() async throws {
        if let connection = try storage.connection(service) {
            try await ImportService(connection, device: device, format: format, isDry: dryRun).run(files)
            return
        }
        let configuration = try storage.configuration()
        if dryRun {
            var worst: ExitStatus?
            for file in files {
                let status = await attempt(file) { parts in
                    var part = try parts.next()
                    var count = part.submission.locations.count
                    let isRejected = Self.isRejected(part)
                    while !part.isComplete {
                        part = try parts.next()
                        count += part.submission.locations.count
                    }
                    try report(part, of: file, SubmissionReceipt(accepted: count))
                    return isRejected
                }
                worst = worst ?? status
            }
            if let worst { throw worst.exit }
            return
        }
        let sources = ServiceAssembly.Sources(configuration)
        Console.report(sources.problems)
        guard !sources.hasErrors else { throw ExitStatus.configuration.exit }
        let assembly = try ServiceAssembly.forCommand(configuration)
        let worst: ExitStatus? = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await assembly.worker.run() }
            group.addTask { await assembly.history.run() }
            await assembly.worker.waitUntilStarted()
            try await assembly.apply(sources)
            var worst: ExitStatus?
            for file in files {
                let status = await attempt(file) { parts in
                    let first = try parts.next()
                    let done = try await assembly.history.importCompletely(first, name: file == "-" ? nil : file) {
                        try parts.next()
                    }
                    try report(done.last, of: file, done.receipt, done.events)
                    return Self.isRejected(first)
                }
                worst = worst ?? status
            }
            // The worker writes its last states before it ends.
            group.cancelAll()
            return worst
        }
        try assembly.store.close()
        if let worst { throw worst.exit }
    }

    /// Does something with a file. Prints the problem of a file that cannot be read; a file of which every record is
    /// rejected has a report.
    ///
    /// - Parameters:
    ///   - file: its path, or `-`.
    ///   - work: takes the parts of the file; returns whether all records are rejected.
    /// - Returns: the exit status, if it is not success.
    private func attempt(_ file: String, _ work: (HistoryParts) async throws -> Bool) async -> ExitStatus? {
        do {
            let source = file == "-" ? ByteSource(descriptor: STDIN_FILENO) : try ByteSource(path: file)
            let parts = HistoryParts(
                HistoryFileReader(
                    source, name: file == "-" ? nil : file, format: format, device: DeviceID(device),
                    now: WallClock.now))
            return try await work(parts) ? .badData : nil
        } catch let error as HistoryParts.Unreadable {
            Console.say(error.diagnostic.description)
            return .badData
        } catch let error as ByteSourceError {
            Console.say("fencepost: \(file) cannot be read: \(error)")
            return ExitStatus(error)
        } catch is MonitorFailure {
            Console.say("fencepost: \(file) was not stored: the database is not writable.")
            return .inputOutput
        } catch {
            Console.say("fencepost: \(file) was not imported: \(error)")
            return .inputOutput
        }
    }

    private static func isRejected(_ first: HistoryFile) -> Bool {
        first.isComplete && first.submission.locations.isEmpty && !first.rejected.isEmpty
    }

    private func report(
        _ history: HistoryFile, of file: String, _ receipt: SubmissionReceipt, _ events: [String: Int]? = nil
    ) throws {
        var writer = JSONWriter()
        writer.value(history, name: file == "-" ? nil : file, receipt: receipt, events: events)
        writer.newline()
        var buffer = OutputBuffer()
        buffer.bytes += writer.bytes
        try buffer.flush()
    }
}

/// The parts of a file, each read when the one before is stored. So memory does not grow with the file.
private final class HistoryParts: Sendable {
    /// The file cannot be read as a whole.
    struct Unreadable: Error {
        var diagnostic: Diagnostic
    }

    /// Fixes that are in memory at a time.
    private static let size = 50_000
    private let reader: Mutex<HistoryFileReader>

    init(_ reader: consuming sending HistoryFileReader) { self.reader = Mutex(reader) }

    /// - Throws: `Unreadable`, or a `ByteSourceError`.
    func next() throws -> HistoryFile {
        while true {
            guard let part = try reader.withLock({ try $0.readNext(limit: Self.size) }) else { continue }
            if let failure = part.failure { throw Unreadable(diagnostic: failure) }
            return part
        }
    }
}

extension LogSettings {
    /// For commands that print their own messages.
    static let quiet: LogSettings = {
        var settings = LogSettings()
        settings.level = .warning
        return settings
    }()
}
