import ArgumentParser
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostModel
import FencepostOperation
import Foundation

/// Reads the locations of a command's files or of standard input.
///
/// It prints rejected records on standard error and continues. It stops when the command is interrupted.
struct InputReader {
    private let arguments: InputArguments
    private let requiresTimestamp: Bool
    private var progress: ProgressBar
    private var bytesOfEarlierFiles = 0
    /// Number of rejected records.
    private(set) var rejected = 0
    /// Number of records, including rejected ones.
    private(set) var records = 0
    /// The members beyond their ranges, which the locations are without (rule L10).
    private(set) var dropped = DroppedMembers()
    /// The exit code when a file could not be read completely, or when every record was rejected.
    var failure: ExitStatus? { unreadable ?? (records > 0 && rejected == records ? .badData : nil) }
    private var unreadable: ExitStatus?
    /// The stays of which files state both ends.
    private(set) var statedStays: [(device: DeviceID, arrival: Timestamp, departure: Timestamp)] = []

    init(_ arguments: InputArguments, requiresTimestamp: Bool = true) {
        self.arguments = arguments
        self.requiresTimestamp = requiresTimestamp
        let total = arguments.files.reduce(0) { $0 + (Self.size(of: $1) ?? 0) }
        progress = ProgressBar(total: total, isQuiet: arguments.quiet)
    }

    /// Reads all files, or standard input without any.
    ///
    /// - Parameters:
    ///   - idle: called at least once a second while waiting for live input, and between its batches.
    ///   - take: called with each location, its position in the input, and the present time if the input can be live.
    /// - Throws: the errors of `idle` and `take`. A file that cannot be read sets `failure`.
    mutating func run(
        idle: (Timestamp) throws -> Void = { _ in },
        take: (_ location: Location, _ index: Int, _ now: Timestamp?) throws -> Void
    ) throws {
        let files = arguments.files.isEmpty ? ["-"] : arguments.files
        for file in files where !Interrupt.isRequested {
            try read(file, idle: idle, take: take)
        }
        progress.clear()
    }

    private mutating func read(
        _ file: String, idle: (Timestamp) throws -> Void, take: (Location, Int, Timestamp?) throws -> Void
    ) throws {
        let isInput = file == "-"
        let isLive = isInput && !Self.isRegular(STDIN_FILENO)
        let options = LocationReader.Options(
            format: arguments.format, fileName: isInput ? nil : file, rules: rules(isLive: isLive))
        if isInput {
            InputFile.announceTerminal("Reading locations from the terminal: one JSON object per line, such as")
            InputFile.announceTerminal(
                #"  {"deviceId":"jane","timestamp":"2026-03-01T08:30:00Z","lat":38.71,"lon":-9.14}"#)
            InputFile.announceTerminal("Control-D ends the input. To read a file, give its name.")
        }
        var reader: LocationReader
        do throws(ByteSourceError) {
            reader = LocationReader(
                isInput ? ByteSource(descriptor: STDIN_FILENO) : try ByteSource(path: file), options: options)
        } catch {
            return fail(file, error)
        }
        while !Interrupt.isRequested {
            if isLive {
                try idle(WallClock.now)
                guard Self.hasInput(STDIN_FILENO, milliseconds: 500) else { continue }
            }
            let batch: [Decoded]
            do throws(ByteSourceError) {
                guard let next = try reader.next() else { break }
                batch = next
            } catch {
                if error.isInterruption { continue }
                fail(file, error)
                break
            }
            let now = isLive ? WallClock.now : nil
            for record in batch {
                switch record {
                case .location(let location, let origin):
                    records += 1
                    if let now, location.timestamp > now + .seconds(86_400) {
                        reject(
                            Diagnostic(
                                code: RejectionCode.timestampOutOfRange.rawValue, file: isInput ? nil : file,
                                at: origin,
                                "the time is more than 24 hours ahead of the clock"))
                        continue
                    }
                    try take(location, records - 1, now)
                case .rejected(let diagnostic):
                    records += 1
                    reject(diagnostic)
                case .reported(let report, at: _):
                    if case .visit(let arrival?, let departure?, _) = report.kind {
                        statedStays.append((report.deviceID, arrival, departure))
                    }
                case .gap: break
                }
            }
            progress.update(bytes: bytesOfEarlierFiles + reader.bytesRead, locations: records)
        }
        bytesOfEarlierFiles += reader.bytesRead
        dropped.add(reader.dropped)
        for note in reader.notes {
            progress.clear()
            Console.say(note.description)
        }
        if reader.failure != nil { unreadable = unreadable ?? .badData }
    }

    /// The rules for accepted fixes.
    func rules(isLive: Bool) -> FixRules {
        // Fixes of live input are compared with the clock when they arrive (in `read`), not with the time of the start:
        // a stream that runs overnight contains fixes of the next day.
        FixRules(
            defaultDevice: DeviceID(arguments.device), requiresTimestamp: requiresTimestamp,
            now: isLive ? nil : WallClock.now)
    }

    /// The files, when all of them are recorded files in Fencepost's NDJSON format; else `nil`.
    func lineFiles() -> [FileWatch.File]? {
        var files: [FileWatch.File] = []
        for file in arguments.files.isEmpty ? ["-"] : arguments.files {
            let path = file == "-" ? nil : file
            do throws(ByteSourceError) {
                guard let found = try LineFile.find(path: path, format: arguments.format) else { return nil }
                files.append(.success(found))
            } catch {
                files.append(.failure(FileWatch.UnreadableFile(name: path, reason: error)))
            }
        }
        return files
    }

    /// Adds the counts of a block of a file, and prints its rejected records.
    mutating func take(_ report: BlockReport) {
        records += report.records
        dropped.add(report.dropped)
        for diagnostic in report.rejected { reject(diagnostic) }
        if let unreadable = report.unreadable { fail(unreadable.name ?? "-", unreadable.reason) }
        bytesOfEarlierFiles += report.bytes
        progress.update(bytes: bytesOfEarlierFiles, locations: records)
    }

    /// Removes the progress bar that `take` draws.
    func finish() { progress.clear() }

    private mutating func reject(_ diagnostic: Diagnostic) {
        rejected += 1
        progress.clear()
        Console.say(diagnostic.description)
    }

    private mutating func fail(_ file: String, _ error: ByteSourceError) {
        Console.say("fencepost: \(file == "-" ? "standard input" : file) cannot be read: \(error)")
        unreadable = ExitStatus(error)
    }

    private static func size(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }

    private static func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func hasInput(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }
}
