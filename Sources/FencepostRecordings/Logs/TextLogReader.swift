import FencepostJSON
import FencepostModel
import FencepostSimulator

/// Reads text logs line by line: the recorder's lines, `log show` in the styles ndjson, syslog, compact and default,
/// and lines copied from Console.
struct TextLogReader {
    /// The app whose entries count; `nil` while it is not known.
    var app: String?
    /// The day of lines that have a time only, as `2026-09-14`.
    var day: String?
    private(set) var contents = LogContents()

    init(app: String?, day: String?) {
        (self.app, self.day) = (app, day)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: the file's contents; bytes that are not UTF-8 are replaced.
    ///   - name: the file's name, for sources.
    mutating func read(_ bytes: [UInt8], name: String) {
        contents.files.append(name)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !line.isEmpty else { continue }
            contents.lines += 1
            read(line, source: "\(name):\(number)")
        }
    }

    private mutating func read(_ line: ArraySlice<UInt8>, source: String) {
        guard let brace = line.firstIndex(of: UInt8(ascii: "{")) else { return readWords(line, source) }
        guard let root = Self.object(line[brace...]) else { return readWords(line, source) }
        switch RecorderLine.read(root) {
        case .facts(let facts, let at): return add(facts, at, source)
        case .unknown:
            return contents.keep(String(decoding: line, as: UTF8.self), source, isAboutLocation: true)
        case .foreign: break
        }
        if let message = root["eventMessage"]?.string {
            guard let time = root["timestamp"]?.string, let at = Self.time(time) else {
                return contents.keep(String(decoding: line, as: UTF8.self), source, isAboutLocation: false)
            }
            return readMessage(message, at, source, process: root["processImagePath"]?.string ?? "")
        }
        readObject(root, time(before: line[..<brace]), source, line)
    }

    /// Reads the message of a line in the style ndjson.
    private mutating func readMessage(_ message: String, _ at: Timestamp, _ source: String, process: String) {
        if let brace = message.utf8.firstIndex(of: UInt8(ascii: "{")),
            let root = Self.object(Array(message.utf8[brace...])[...])
        {
            if case .facts(let facts, let own) = RecorderLine.read(root) { return add(facts, own, source) }
            return readObject(root, at, source, Array(message.utf8)[...])
        }
        if kill(message, at, source) { return }
        contents.keep(message, source, isAboutLocation: process.hasSuffix("locationd"))
    }

    private mutating func readObject(
        _ root: JSONElement, _ at: Timestamp?, _ source: String, _ line: ArraySlice<UInt8>
    ) {
        let text = String(decoding: line, as: UTF8.self)
        guard let meaning = LocationDaemonLine.read(root), let at else {
            if let at, kill(text, at, source) { return }
            // Lines about other apps are no loss.
            let other = LocationDaemonLine.app(root)
            return contents.keep(text, source, isAboutLocation: root["msg"] != nil && (other == nil || other == app))
        }
        if let app, let other = meaning.app, other != app { return }
        if meaning.app == nil, app == nil { return contents.keep(text, source, isAboutLocation: true) }
        if app == nil {
            // Without an app of its own the log gives that of the first one that came to the foreground.
            guard meaning.fact == .foreground else { return contents.keep(text, source, isAboutLocation: true) }
            app = meaning.app
        }
        add([meaning.fact], at, source)
    }

    private mutating func readWords(_ line: ArraySlice<UInt8>, _ source: String) {
        let text = String(decoding: line, as: UTF8.self)
        if let at = time(before: line), kill(text, at, source) { return }
        contents.keep(text, source, isAboutLocation: text.contains("locationd"))
    }

    /// Reads a line of SpringBoard or RunningBoard about the end of the app. The code 0xDEADFA11 and the words stand
    /// for a kill by the user in the app switcher.
    private mutating func kill(_ text: String, _ at: Timestamp, _ source: String) -> Bool {
        guard let app, text.contains(app) else { return false }
        guard text.contains("killed from app switcher") || text.contains("0xDEADFA11") || text.contains("0xdeadfa11")
        else { return false }
        add([.terminated(by: .user)], at, source)
        return true
    }

    private mutating func add(_ facts: [LogEntry.Fact], _ at: Timestamp, _ source: String) {
        for fact in facts {
            if case .launched(let launch) = fact, app == nil { app = launch.app }
            contents.entries.append(LogEntry(at: at, source: source, fact))
        }
    }

    private static func object(_ bytes: ArraySlice<UInt8>) -> JSONElement? {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "}")), let document = try? JSONDocument(parsing: bytes[...end])
        else { return nil }
        return document.root.object == nil ? nil : document.root
    }

    /// The time at the beginning of a line; `nil` without one.
    private func time(before line: ArraySlice<UInt8>) -> Timestamp? {
        let words = String(decoding: line.prefix(120), as: UTF8.self)
            .split(maxSplits: 3, whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        if words.count >= 2, let at = Self.time("\(words[0]) \(words[1])") { return at }
        // Console puts the type of the message before a time without a date.
        for word in words.prefix(2) where word.contains(":") {
            if let day, let at = Self.time("\(day) \(word)") { return at }
        }
        return nil
    }

    static func time(_ text: String) -> Timestamp? { Timestamp(rfc3339: text, assumingUTC: true) }
}
