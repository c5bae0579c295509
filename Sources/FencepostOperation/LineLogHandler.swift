import FencepostJSON
public import FencepostModel
import Foundation
public import Logging
import Synchronization

/// A log handler that writes to standard error: one JSON object per line, or text for people (rule O5).
public struct LineLogHandler: LogHandler {
    /// The format of log lines.
    public enum Style: Sendable { case json, text }

    /// The level of this logger; the shared level unless it was set.
    public var logLevel: Logger.Level {
        get { ownLevel ?? level.current }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?
    private let level: SharedLogLevel
    /// The fields of every line of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Returns fields at the time of each line; they override `metadata`.
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let style: Style
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable ([UInt8]) -> Void

    /// A handler for one logger.
    ///
    /// - Parameters:
    ///   - label: name of the logger.
    ///   - style: JSON or text.
    ///   - level: level of all loggers without their own.
    ///   - now: the wall clock.
    ///   - write: called with whole lines.
    public init(
        label: String, style: Style, level: SharedLogLevel, now: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable ([UInt8]) -> Void = LineLogHandler.toStandardError
    ) {
        self.label = label
        self.style = style
        self.now = now
        self.write = write
        self.level = level
    }

    /// One field of every line of this logger.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line, with the fields of the logger, of its provider and of the event; the last one of a name
    /// applies.
    public func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { _, new in new } }
        if let given = event.metadata { fields.merge(given) { _, new in new } }
        let sorted = fields.sorted { $0.key < $1.key }
        switch style {
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("ts")
            writer.asciiString { now().appendRFC3339(to: &$0) }
            for (name, text) in [
                ("level", event.level.rawValue), ("msg", event.message.description), ("logger", label),
            ] {
                writer.name(name)
                writer.value(text)
            }
            for (key, value) in sorted {
                writer.name(key)
                Self.append(value, to: &writer)
            }
            writer.endObject()
            writer.newline()
            write(writer.bytes)
        case .text:
            var line: [UInt8] = []
            now().appendRFC3339(to: &line)
            line += " \(event.level.rawValue) \(event.message)".utf8
            for (key, value) in sorted { line += " \(key)=\(value)".utf8 }
            // Control characters are replaced, so a logged value cannot start a new line.
            line = line.map { $0 < 0x20 ? 0x20 : $0 }
            line.append(UInt8(ascii: "\n"))
            write(line)
        }
    }

    private static func append(_ value: Logger.Metadata.Value, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.value(text)
        case .stringConvertible(let value):
            switch value {
            case let number as any FixedWidthInteger: writer.raw(Array(number.description.utf8))
            case let number as Double where number.isFinite: writer.value(number)
            case let bool as Bool: writer.value(bool)
            default: writer.value(value.description)
            }
        case .dictionary(let members):
            writer.beginObject()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.name(key)
                append(value, to: &writer)
            }
            writer.endObject()
        case .array(let values):
            writer.beginArray()
            for value in values { append(value, to: &writer) }
            writer.endArray()
        }
    }

    /// Writes each line with one call, so that lines of several threads do not mix.
    public static let toStandardError: @Sendable ([UInt8]) -> Void = { writeAll($0, to: STDERR_FILENO) }
}

/// The log level of all loggers. It can change while the service runs.
public final class SharedLogLevel: Sendable {
    private let state: Mutex<Logger.Level>

    /// Starts with this level.
    public init(_ level: Logger.Level) {
        state = Mutex(level)
    }

    /// Messages below this level are not written.
    public var current: Logger.Level {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

private func writeAll(_ bytes: [UInt8], to file: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
