import ArgumentParser
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostStore
import Foundation
import Logging

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
                let (history, status) = read(file)
                worst = worst ?? status
                if let history { try report(history, of: file, nil) }
            }
            if let worst { throw worst.exit }
            return
        }
        let sources = ServiceAssembly.Sources(configuration)
        Console.report(sources.problems)
        guard !sources.hasErrors else { throw ExitStatus.configuration.exit }
        _ = Logs.bootstrap(LogSettings.quiet)
        let assembly = try ServiceAssembly(configuration, logger: Logger(label: "fencepost"))
        let worst: ExitStatus? = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await assembly.worker.run() }
            group.addTask { await assembly.history.run() }
            await assembly.worker.waitUntilStarted()
            try await assembly.apply(sources)
            var worst: ExitStatus?
            for file in files {
                let (history, status) = read(file)
                worst = worst ?? status
                guard let history else { continue }
                do {
                    let (receipt, events) = try await assembly.history.importCompletely(
                        history, name: file == "-" ? nil : file)
                    try report(history, of: file, receipt, events)
                } catch is MonitorFailure {
                    Console.say("fencepost: \(file) was not stored: the database is not writable.")
                    worst = worst ?? .inputOutput
                }
            }
            // The worker writes its last states before it ends.
            group.cancelAll()
            return worst
        }
        try assembly.store.close()
        if let worst { throw worst.exit }
    }

    /// Reads a file. Prints the problem of a file that cannot be read; a file of which every record is rejected has a report.
    private func read(_ file: String) -> (HistoryFile?, ExitStatus?) {
        do throws(ByteSourceError) {
            let history = try HistoryFile(
                file == "-" ? ByteSource(descriptor: STDIN_FILENO) : try ByteSource(path: file),
                name: file == "-" ? nil : file, format: format, device: DeviceID(device), now: WallClock.now)
            if let failure = history.failure {
                Console.say(failure.description)
                return (nil, .badData)
            }
            let isRejected = history.submission.locations.isEmpty && !history.rejected.isEmpty
            return (history, isRejected ? .badData : nil)
        } catch {
            Console.say("fencepost: \(file) cannot be read: \(error)")
            return (nil, ExitStatus(error))
        }
    }

    private func report(
        _ history: HistoryFile, of file: String, _ receipt: SubmissionReceipt?, _ events: [String: Int]? = nil
    ) throws {
        var writer = JSONWriter()
        writer.value(history, name: file == "-" ? nil : file, receipt: receipt, events: events)
        writer.newline()
        var buffer = OutputBuffer()
        buffer.bytes += writer.bytes
        try buffer.flush()
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
