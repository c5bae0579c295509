import FencepostSimulator
import Foundation

/// Reads logs of an app and of a device: files, folders, and `.tar.gz` archives such as a sysdiagnose.
public struct LogFiles {
    /// The most bytes of one file, and of all compressed files together when they are inflated.
    private let sizeLimit: Int

    /// What a file is, by its name.
    private enum Kind {
        case text, report, power, archive, compressed
        /// The unified log in Apple's binary form.
        case binary
        case other

        init(_ name: String) {
            var name = name.lowercased()
            if name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz") || name.hasSuffix(".tar") { self = .archive; return }
            if name.hasSuffix(".plsql.gz") { name.removeLast(3) }
            if name.hasSuffix(".gz") { self = .compressed; return }
            if name.hasSuffix(".plsql") || name.hasSuffix(".sqlite") { self = .power; return }
            if name.hasSuffix(".ips") || name.hasSuffix(".ips.synced") { self = .report; return }
            if name.hasSuffix(".tracev3") { self = .binary; return }
            let endings = [".jsonl", ".ndjson", ".json", ".log", ".txt"]
            self = endings.contains { name.hasSuffix($0) } ? .text : .other
        }
    }

    private var files: [(name: String, bytes: [UInt8])] = []
    private var problems: [String] = []
    /// The bytes of all compressed files, inflated.
    private var inflatedBytes = 0

    /// Makes a reader without files.
    ///
    /// - Parameter sizeLimit: the most bytes of one file, and of all compressed files together when they are inflated.
    public init(sizeLimit: Int = 1 << 30) { self.sizeLimit = sizeLimit }

    /// Adds a file, a folder with all files in it, or an archive.
    ///
    /// - Returns: whether the path exists and can be read.
    public mutating func add(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
        guard isFolder.boolValue else { return add(file: path, name: Self.last(path), isNamedByUser: true) }
        // The enumerator does not follow symbolic links.
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
        for name in names where Self.isWanted(name) {
            _ = add(file: path + "/" + name, name: name, isNamedByUser: false)
        }
        return true
    }

    /// Adds the contents of standard input, a text log.
    public mutating func add(text bytes: [UInt8]) { files.append(("stdin.jsonl", bytes)) }

    private mutating func add(file path: String, name: String, isNamedByUser: Bool) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return false }
        guard attributes?[.size] as? Int ?? 0 <= sizeLimit else {
            problems.append("\(name) has more than \(sizeLimit >> 20) MiB. Cut it with `log show --start … --end …`.")
            return true
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return false }
        take([UInt8](data), name: name, isNamedByUser: isNamedByUser)
        return true
    }

    private mutating func take(_ bytes: [UInt8], name: String, isNamedByUser: Bool) {
        switch Kind(name) {
        case .archive: unpack(bytes, name: name)
        case .compressed:
            let inner = String(name.dropLast(3))
            // Nobody compresses a log twice; a file that inflates to itself would never end.
            if case .compressed = Kind(inner) {
                return problems.append("\(name) is compressed twice and was left out.")
            }
            if let contents = inflated(bytes, name) { take(contents, name: inner, isNamedByUser: isNamedByUser) }
        case .power: files.append((name, name.lowercased().hasSuffix(".gz") ? inflated(bytes, name) ?? [] : bytes))
        case .text, .report: files.append((name, bytes))
        case .binary:
            let text =
                "The unified log is binary. On a Mac, `log show --style ndjson --predicate 'process == \"locationd\"' "
                + "ARCHIVE >locationd.ndjson` makes text of it."
            if !problems.contains(text) { problems.append(text) }
        case .other: if isNamedByUser { files.append((name, bytes)) }
        }
    }

    private mutating func inflated(_ bytes: [UInt8], _ name: String) -> [UInt8]? {
        var contents: [UInt8] = []
        var isTooLarge = false
        let limit = min(TarReader.sizeLimit, sizeLimit - inflatedBytes)
        let outcome = Inflation()?.inflate(bytes) { piece in
            isTooLarge = contents.count + piece.count > limit
            if !isTooLarge { contents += piece }
            return !isTooLarge
        }
        switch isTooLarge ? .tooLarge : outcome ?? .damaged {
        case .complete: break
        case .damaged: problems.append("\(name) is damaged: what precedes the damage was read.")
        case .tooLarge:
            problems.append("\(name) is too large when inflated and was left out.")
            return nil
        }
        inflatedBytes += contents.count
        return contents
    }

    private mutating func unpack(_ bytes: [UInt8], name: String) {
        var tar = TarReader(limit: min(TarReader.sizeLimit, sizeLimit - inflatedBytes), Self.isWanted)
        if bytes.starts(with: [0x1F, 0x8B]) {
            let outcome = Inflation()?.inflate(bytes) { piece in
                tar.take(piece)
                return !tar.isAtEnd
            }
            switch outcome ?? .damaged {
            case .complete: break
            case .damaged: problems.append("\(name) is damaged: what precedes the damage was read.")
            case .tooLarge:
                return problems.append(
                    "\(name) becomes more than \(Inflation.ratio) times its size when inflated and was left out.")
            }
        } else {
            tar.take(bytes[...])
        }
        inflatedBytes += tar.files.reduce(0) { $0 + $1.bytes.count }
        for file in tar.tooLarge { problems.append("\(file) in \(name) is too large and was left out.") }
        if tar.files.isEmpty { problems.append("\(name) contains no log, report or power log.") }
        for file in tar.files {
            // An archive within an archive is not opened.
            if case .archive = Kind(file.name) { continue }
            take(file.bytes, name: file.name, isNamedByUser: false)
        }
    }

    private static func isWanted(_ name: String) -> Bool {
        switch Kind(name) {
        case .text, .report, .power, .compressed, .binary: true
        // Archives within folders are usually older power logs.
        case .archive, .other: false
        }
    }

    private static func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Reads all files.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier; `nil` for that of the recorder's first launch, or of the first app that comes to
    ///     the foreground.
    ///   - day: the day of lines copied from Console, which have a time only, as `2026-09-14`.
    /// - Returns: the entries in the order of the files, and the bundle identifier.
    public func read(app: String? = nil, day: String? = nil) -> (contents: LogContents, app: String?) {
        var reader = TextLogReader(app: app, day: day)
        // The recorder's own log names the app, by which the lines of the system are chosen.
        let texts = files.filter { file in if case .text = Kind(file.name) { true } else { isOther(file.name) } }
        for file in texts.sorted(by: { Self.isRecorder($0.bytes) && !Self.isRecorder($1.bytes) }) {
            reader.read(file.bytes, name: file.name)
        }
        var contents = reader.contents
        contents.problems = problems
        guard let app = reader.app else { return (contents, nil) }
        for file in files {
            switch Kind(file.name) {
            case .report:
                contents.files.append(file.name)
                if let entry = ExitReport.entry(file.bytes, app: app, name: file.name) {
                    contents.entries.append(entry)
                }
            case .power:
                contents.files.append(file.name)
                readPowerLog(file, app, &contents)
            case .text, .other, .archive, .compressed, .binary: break
            }
        }
        return (contents, app)
    }

    private func isOther(_ name: String) -> Bool { if case .other = Kind(name) { true } else { false } }

    private static func isRecorder(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes.prefix(4096), as: UTF8.self).contains("\"fencepost\"")
    }

    /// SQLite reads files only, so the database has to be on the disk for a moment.
    private func readPowerLog(_ file: (name: String, bytes: [UInt8]), _ app: String, _ contents: inout LogContents) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "power.sqlite")
        guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil,
            (try? Data(file.bytes).write(to: path)) != nil
        else {
            contents.problems.append("There is no room for \(file.name) in \(folder.path).")
            return
        }
        if let entries = PowerLog.entries(path: path.path, app: app, name: file.name) {
            contents.entries += entries
        } else {
            contents.problems.append("\(file.name) is no SQLite database that can be read.")
        }
    }
}
