import Mustache

/// A Mustache template of a message to a person. Its variables are those of `MessageContext`.
///
/// Partials, inheritance and changed delimiters are refused, so that a template reads nothing but its variables.
public struct MessageTemplate: Sendable {
    private let template: MustacheTemplate

    /// Deepest nesting of sections.
    static let deepest = 8

    /// Parses a template.
    ///
    /// - Returns: `nil` when `problem(with:)` finds one.
    public init?(_ text: String) {
        guard Self.problem(with: text) == nil else { return nil }
        self.init(checked: text)
    }

    /// Parses a template without looking at its names.
    init?(checked text: String) {
        // Messages are plain text; services that want markup get it escaped as a whole.
        guard let template = try? MustacheTemplate(string: "{{% CONTENT_TYPE: TEXT}}" + text) else { return nil }
        self.template = template
    }

    /// Writes the message.
    public func text(_ context: MessageContext) -> String { template.render(context.values) }

    /// Why a text is not a template, in one sentence that names what to change; `nil` when it is one.
    public static func problem(with text: String) -> String? {
        var open: [Substring] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            rest = rest[start.upperBound...]
            let isTriple = rest.first == "{"
            guard let end = rest.firstRange(of: isTriple ? "}}}" : "}}") else {
                return "A tag begins with {{ and is not closed by }}."
            }
            let tag = (isTriple ? rest[rest.index(after: rest.startIndex)..<end.lowerBound] : rest[..<end.lowerBound])
                .trimmingSpaces
            rest = rest[end.upperBound...]
            guard let sigil = tag.first else { return "A tag {{}} is empty; write a name such as {{device}}." }
            switch sigil {
            case "!": continue
            case ">", "<", "$", "=", "%", "*":
                return "A template must not contain {{\(tag)}}: only variables, sections and comments are allowed."
            case "#", "^":
                let name = tag.dropFirst().trimmingSpaces
                if let problem = unknown(name) { return problem }
                open.append(name)
                if open.count > deepest { return "More than \(deepest) sections are inside each other." }
            case "/":
                let name = tag.dropFirst().trimmingSpaces
                guard open.popLast() == name else {
                    return "{{/\(name)}} closes a section that was not opened last."
                }
            default:
                if let problem = unknown(sigil == "&" ? tag.dropFirst().trimmingSpaces : tag) { return problem }
            }
        }
        if let section = open.last { return "The section {{#\(section)}} is not closed by {{/\(section)}}." }
        return MessageTemplate(checked: text) == nil ? "This is not a Mustache template." : nil
    }

    private static func unknown(_ name: Substring) -> String? {
        guard !MessageContext.names.contains(String(name)) else { return nil }
        return "There is no variable {{\(name)}}; known are \(MessageContext.names.joined(separator: ", "))."
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
