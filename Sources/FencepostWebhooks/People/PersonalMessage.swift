import FencepostJSON
public import FencepostMessages
import FencepostModel
public import FencepostService
import Foundation

/// A message to a person, with what its service needs.
public struct PersonalMessage: Sendable {
    /// The service.
    public var kind: Endpoint.Kind
    /// The endpoint's settings, with secrets.
    public var people: Endpoint.People
    /// The text.
    public var text: WrittenMessage
    /// The file of a report; `nil` for a message without one.
    public var file: ReportFile?

    /// A message for a service.
    public init(kind: Endpoint.Kind, people: Endpoint.People, text: WrittenMessage) {
        self.kind = kind
        self.people = people
        self.text = text
    }

    /// Writes the message of an endpoint about one or several events.
    ///
    /// - Parameters:
    ///   - endpoint: an endpoint for people.
    ///   - bodies: the messages in the standard format, the oldest first.
    init(_ endpoint: Endpoint, bodies: [String]) {
        self.init(kind: endpoint.kind, people: endpoint.people, text: endpoint.writer(of: bodies).write(bodies))
    }
}

extension Endpoint {
    /// The writer of the endpoint's messages about devices and regions.
    public var writer: MessageWriter { writer(title: people.title, body: people.body) }

    /// The writer of a message: templates are about devices and regions, and not about reports.
    func writer(of bodies: [String]) -> MessageWriter {
        let isReport =
            bodies.count == 1
            && (try? JSONDocument(parsing: bodies[0]))?.root["type"]?.string == ServiceEventType.reportReady.rawValue
        return isReport ? writer(title: nil, body: nil) : writer
    }

    private func writer(title: String?, body: String?) -> MessageWriter {
        let zone = people.timeZone.flatMap(TimeZone.init(identifier:)) ?? .current
        return MessageWriter(
            title: title, body: body,
            style: MessageContext.Style(
                names: people.names, timeZone: zone, link: people.link, units: people.units ?? .metric))
    }
}
