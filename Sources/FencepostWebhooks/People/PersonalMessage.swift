import FencepostJSON
public import FencepostMessages
import FencepostModel
public import FencepostService
public import Foundation

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
    ///   - zone: that of an endpoint without one.
    init(_ endpoint: Endpoint, bodies: [String], zone: TimeZone?) {
        self.init(
            kind: endpoint.kind, people: endpoint.people, text: endpoint.writer(of: bodies, zone: zone).write(bodies))
    }
}

extension Endpoint {
    /// The writer of the endpoint's messages about devices and regions.
    ///
    /// - Parameter zone: that of an endpoint without one, the service's; `nil` for the machine's.
    /// - Returns: the writer.
    public func writer(zone: TimeZone?) -> MessageWriter { writer(title: people.title, body: people.body, zone) }

    /// The writer of a message: templates are about devices and regions, and not about reports.
    func writer(of bodies: [String], zone: TimeZone?) -> MessageWriter {
        let isReport =
            bodies.count == 1
            && (try? JSONDocument(parsing: bodies[0]))?.root["type"]?.string == ServiceEventType.reportReady.rawValue
        return isReport ? writer(title: nil, body: nil, zone) : writer(zone: zone)
    }

    private func writer(title: String?, body: String?, _ common: TimeZone?) -> MessageWriter {
        let zone = people.timeZone.flatMap(TimeZone.init(identifier:)) ?? common ?? .current
        return MessageWriter(
            title: title, body: body,
            style: MessageContext.Style(
                names: people.names, timeZone: zone, link: people.link, units: people.units ?? .metric))
    }
}
