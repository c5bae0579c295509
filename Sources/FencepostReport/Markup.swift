/// Builds text in the common syntax of HTML and XML. All content is escaped.
///
/// Every element has a closing tag, because HTML reads `<div/>` as an opening tag.
struct Markup {
    private(set) var text = ""

    typealias Attributes = KeyValuePairs<String, String?>

    mutating func element(_ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void) {
        open(name, attributes)
        text += ">"
        body(&self)
        text += "</\(name)>"
    }

    mutating func element(_ name: String, _ attributes: Attributes, _ content: String) {
        element(name, attributes) { $0.add(content) }
    }

    mutating func element(_ name: String, _ content: String) {
        element(name, [:]) { $0.add(content) }
    }

    /// An element without content: `meta`, `br`, the shapes of SVG.
    mutating func void(_ name: String, _ attributes: Attributes = [:]) {
        open(name, attributes)
        text += "/>"
    }

    /// Text from any source, escaped.
    mutating func add(_ content: String) {
        Self.escape(content, into: &text)
    }

    /// A name with possible line breaks before its capitals, because names of interfaces have no spaces.
    mutating func addBreakable(_ name: String) {
        for (index, character) in name.enumerated() {
            if index > 0, character.isUppercase { void("wbr") }
            add(String(character))
        }
    }

    /// Markup that this module wrote, never input.
    mutating func addRaw(_ markup: String) {
        text += markup
    }

    private mutating func open(_ name: String, _ attributes: Attributes) {
        text += "<\(name)"
        for (key, value) in attributes {
            guard let value else { continue }
            text += " \(key)=\""
            Self.escape(value, into: &text)
            text += "\""
        }
    }

    private static func escape(_ content: String, into text: inout String) {
        for scalar in content.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            // Neither language allows these characters. Embeddings and overrides of the text direction would reorder
            // the text around them.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Numbers and durations for people.
enum Words {
    /// A number with at most one decimal, which is left out if it is zero.
    static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        guard rounded.isFinite, rounded.magnitude < 1e15 else { return "\(value)" }
        return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }

    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// `once`, `twice`, `3 times`.
    static func times(_ count: Int) -> String {
        switch count {
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }

    /// The two largest units: `1 h 20 min`, `45 s`.
    static func span(_ span: Duration) -> String {
        let seconds = span.components.seconds
        var parts: [String] = []
        for (size, unit) in [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")] as [(Int64, String)] {
            let count = size == 86_400 ? seconds / size : seconds % (size * (size == 3600 ? 24 : 60)) / size
            if count > 0 { parts.append("\(count) \(unit)") }
        }
        return parts.isEmpty ? "0 s" : parts.prefix(2).joined(separator: " ")
    }
}
