import FencepostModel

/// The template of a subject, stream, routing key or topic, such as `fencepost.{device}.{type}`.
///
/// Values are escaped, so that each becomes one word of the broker and two different ones never become the same:
///
/// - Letters and digits of ASCII and `-` stay, and `_` too, but for Kafka. Every other byte of UTF-8 is `%` and two hexadecimal
///   digits; for Kafka, which has no `%` in topics, `_` and two digits.
/// - A value that is absent is `-`, and a value that is `-` is escaped.
/// - `{type}` is always two words with a dot, such as `region.entered`.
public struct DestinationTemplate: Hashable, Sendable {
    /// Why a text is not a template.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason in one sentence for people.
        public let description: String
    }

    /// What stands between braces.
    public enum Placeholder: String, Hashable, Sendable, CaseIterable {
        /// The id of the device.
        case device
        /// The type of the event.
        case type
        /// The id of the event's region; of a visit, the first of its regions.
        case region
    }

    private enum Part: Hashable {
        case text(String)
        case value(Placeholder)
    }

    private let parts: [Part]
    private let kind: Endpoint.Kind

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - text: the template.
    ///   - kind: the broker, which decides what may be in it.
    /// - Throws: `Failure`.
    public init(_ text: String, of kind: Endpoint.Kind) throws(Failure) {
        self.kind = kind
        guard (1...255).contains(text.utf8.count) else {
            throw Failure(description: "This has to be a text of 1 to 255 characters.")
        }
        parts = try Self.split(text)
        try checkSeparators()
        let example = expanded(device: "d", type: "t.t", region: "r")
        if let problem = Self.problem(with: example, of: kind) { throw Failure(description: problem) }
    }

    /// Whether it needs the region of an event.
    public var usesRegion: Bool { parts.contains(.value(.region)) }

    private static func split(_ text: String) throws(Failure) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
                throw Failure(description: "A brace is not closed; write a placeholder as \"{device}\".")
            }
            let name = String(rest[rest.index(after: brace)..<end])
            guard let placeholder = Placeholder(rawValue: name) else {
                let known = Placeholder.allCases.map { "\"{\($0.rawValue)}\"" }.joined(separator: ", ")
                throw Failure(description: "There is no placeholder \"{\(name)}\"; known are \(known).")
            }
            parts.append(.value(placeholder))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts
    }

    /// Between two values there has to be a character that no value contains. Otherwise two pairs of values could become the same
    /// text.
    private func checkSeparators() throws(Failure) {
        var isAfterValue = false, isSeparated = true
        for part in parts {
            switch part {
            case .text(let text):
                isSeparated = isSeparated || text.utf8.contains { !Self.isPlain($0, of: kind) && $0 != escape }
            case .value:
                guard !isAfterValue || isSeparated else {
                    throw Failure(
                        description: "Write \".\" between two placeholders, so that no two addresses are the same.")
                }
                (isAfterValue, isSeparated) = (true, false)
            }
        }
    }

    /// The address of a message.
    ///
    /// - Parameters:
    ///   - device: the id of the device; `nil` for an event without one.
    ///   - type: the type of the event on the wire.
    ///   - region: the id of the region; `nil` for an event without one.
    /// - Returns: the address.
    /// - Throws: `Failure` when it is longer than the broker admits.
    public func address(device: String?, type: String, region: String?) throws(Failure) -> String {
        let text = expanded(device: device, type: type, region: region)
        let limit = Self.longest(of: kind)
        guard text.utf8.count <= limit else {
            throw Failure(
                description: "the address \(text.prefix(40))… is longer than \(limit) bytes: use a shorter template")
        }
        return text
    }

    private func expanded(device: String?, type: String, region: String?) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(.device): escaped(device)
            case .value(.type): type
            case .value(.region): escaped(region)
            }
        }.joined()
    }

    private var escape: UInt8 { kind == .kafka ? UInt8(ascii: "_") : UInt8(ascii: "%") }

    private static func isPlain(_ byte: UInt8, of kind: Endpoint.Kind) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        case UInt8(ascii: "_"): kind != .kafka
        default: false
        }
    }

    private func escaped(_ value: String?) -> String {
        guard let value else { return "-" }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if Self.isPlain(byte, of: kind), value != "-" {
                bytes.append(byte)
            } else {
                bytes += [escape, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The longest address in bytes. A subject has to fit into a line of NATS' protocol, which has 4096 bytes, with the rest of it.
    private static func longest(of kind: Endpoint.Kind) -> Int {
        switch kind {
        case .kafka: 249
        case .amqp: 255
        case .nats, .redis, .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise: 2048
        }
    }

    /// What a broker would not take of an address; `nil` when it takes it.
    private static func problem(with address: String, of kind: Endpoint.Kind) -> String? {
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "This has to be printable ASCII without spaces."
        }
        switch kind {
        case .nats:
            let words = address.split(separator: ".", omittingEmptySubsequences: false)
            if address.contains("*") || address.contains(">") || words.contains("") {
                return "A subject has words with \".\" between them, and no \"*\" or \">\"."
            }
            return address.hasPrefix("$") ? "Subjects that begin with \"$\" belong to the server." : nil
        case .kafka:
            let isPlain = address.utf8.allSatisfy {
                Self.isPlain($0, of: kind) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
            }
            if !isPlain || [".", ".."].contains(address) || address.hasPrefix("__") {
                return "A topic has letters, digits, \".\", \"_\" and \"-\", and does not begin with \"__\"."
            }
            return nil
        case .redis, .amqp, .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise: return nil
        }
    }
}
