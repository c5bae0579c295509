import FencepostJSON
import FencepostModel

/// A message as a person reads it.
public struct WrittenMessage: Hashable, Sendable {
    /// One line.
    public var title: String
    /// The text; may be empty.
    public var body: String
    /// A link to the event on the page; `nil` without one.
    public var link: String?

    /// A message from its parts.
    public init(title: String, body: String, link: String? = nil) {
        self.title = title
        self.body = body
        self.link = link
    }
}

/// Writes messages for people by the templates of an endpoint.
public struct MessageWriter: Sendable {
    /// The template of the title that is used without another one.
    public static let defaultTitle = "{{#test}}Test: {{/test}}{{sentence}}"
    /// The template of the text that is used without another one.
    public static let defaultBody = "{{detail}}"

    /// Largest numbers of characters of a title and of a text. Longer ones are cut: the services have limits.
    static let (titleLimit, bodyLimit) = (200, 3000)

    private let title: MessageTemplate?
    private let body: MessageTemplate?
    private let style: MessageContext.Style

    /// A writer. Templates with a problem are replaced by the default ones.
    ///
    /// - Parameters:
    ///   - title: the template of the title; `nil` for the default one.
    ///   - body: the template of the text; `nil` for the default one.
    ///   - style: names, zone and links.
    public init(title: String?, body: String?, style: MessageContext.Style) {
        self.title = title.flatMap { MessageTemplate($0) } ?? MessageTemplate(Self.defaultTitle)
        self.body = body.flatMap { MessageTemplate($0) } ?? MessageTemplate(Self.defaultBody)
        self.style = style
    }

    /// Writes one message about one or several events.
    ///
    /// - Parameter messages: messages in the standard format, as webhooks receive them, the oldest first. Invalid JSON is
    ///   left out.
    /// - Returns: for one event its own message; for several one with a line for each.
    public func write(_ messages: [String]) -> WrittenMessage {
        let contexts = messages.compactMap { text in
            (try? JSONDocument(parsing: text)).map { MessageContext($0.root, style: style) }
        }
        guard contexts.count != 1 else { return write(contexts[0]) }
        let written = contexts.map(write)
        // Times of several days need their days.
        let days = Set(contexts.compactMap { $0.texts["date"] }).count > 1
        let lines = zip(contexts, written).map { context, message in
            (days ? context.texts["date"].map { "\($0): " } ?? "" : "") + message.title
        }
        return WrittenMessage(
            title: "\(written.count) messages",
            body: TextLimit.truncated(lines.joined(separator: "\n"), to: Self.bodyLimit),
            link: written.last?.link)
    }

    private func write(_ context: MessageContext) -> WrittenMessage {
        var line = title?.text(context) ?? ""
        line = String(line.map { $0.isNewline ? " " : $0 })
        let text = body?.text(context) ?? ""
        // A service refuses a message without any text.
        if line.allSatisfy(\.isWhitespace), text.allSatisfy(\.isWhitespace) { line = context.type }
        return WrittenMessage(
            title: TextLimit.truncated(line, to: Self.titleLimit),
            body: TextLimit.truncated(text, to: Self.bodyLimit), link: context.link)
    }
}
