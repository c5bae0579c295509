import FencepostJSON
import FencepostModel
import FencepostSimulator

/// Reads crash reports and jetsam reports (`.ips`): a line with a JSON object, then a JSON object with the report.
enum ExitReport {
    /// Reads the end of the app from a report.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - app: the bundle identifier.
    ///   - name: the file's name, for the source.
    /// - Returns: the end of the app; `nil` for a report about something else.
    static func entry(_ bytes: [UInt8], app: String, name: String) -> LogEntry? {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDocument(parsing: bytes[..<newline]).root,
            let time = header["timestamp"]?.string.flatMap(time),
            let body = try? JSONDocument(parsing: bytes[(newline + 1)...]).root
        else { return nil }
        let type = header["bug_type"]?.string ?? ""
        let process = app.split(separator: ".").last.map(String.init) ?? app
        switch type {
        case "309", "109", "308":
            let bundle = body["bundleInfo"]?["CFBundleIdentifier"]?.string ?? header["bundleID"]?.string
            guard bundle == app else { return nil }
            let cause = termination(body["termination"])
            return LogEntry(at: time, source: name, .terminated(by: cause ?? .crash))
        case "298":
            let processes = body["processes"]?.array.map { Array($0) } ?? []
            let killed = processes.contains {
                $0["reason"]?.string != nil && ($0["name"]?.string == process || $0["bundleID"]?.string == app)
            }
            return killed ? LogEntry(at: time, source: name, .terminated(by: .system)) : nil
        default: return nil
        }
    }

    private static func termination(_ element: JSONElement?) -> Termination? {
        guard let element, let code = element["code"]?.double else { return nil }
        return ExitReason.cause(namespace: nil, code: Int64(exactly: code) ?? 0)
    }

    /// The time of a header has a space before the offset.
    private static func time(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 3 else { return TextLogReader.time(text) }
        return TextLogReader.time("\(parts[0]) \(parts[1])\(parts[2])")
    }
}

/// The reasons for the end of a process, as the kernel's public header `sys/reason.h` numbers them.
enum ExitReason {
    /// The code of a termination in the app switcher.
    static let userQuit: Int64 = 0xDEAD_FA11

    /// Who ended the process; `nil` when the numbers do not say it.
    static func cause(namespace: Int64?, code: Int64?) -> Termination? {
        if let code, code == userQuit || code & 0xFFFF_FFFF == userQuit { return .user }
        switch namespace {
        case 1: return .system  // memory (jetsam)
        case 2, 3, 5, 6, 7, 8: return .crash  // a signal, code signing, dyld, a library of the app
        case 10, 15, 20: return .system  // SpringBoard, RunningBoard, watchdog
        default: return nil
        }
    }
}
