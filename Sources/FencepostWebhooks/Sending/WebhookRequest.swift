public import FencepostModel
import FencepostService
import Foundation

/// The content of one delivery attempt, before it is signed.
public struct WebhookRequest: Sendable {
    /// Endpoints do not share connections.
    public var endpointID: String
    /// Absolute URL of the receiver.
    public var url: String
    /// Texts of the signing secrets, newest first. Each of them signs.
    public var secrets: [String]
    /// The value of `webhook-id`.
    public var id: String
    /// The value of `webhook-timestamp`, in wall time: receivers compare it with their own clock.
    public var timestamp: Timestamp
    /// JSON text.
    public var body: String
    /// Headers besides those of the signature.
    public var headers: [String: String]
    /// The message of an endpoint for people, which is sent instead of `body` and is not signed; `nil` for a webhook.
    public var personal: PersonalMessage?
    /// Where a broker keeps the message, which then is not signed; `nil` for other kinds of endpoints.
    public var publication: Publication?

    /// A request whose body and headers are complete but for the signature.
    ///
    /// More than five parameters, because the initializer has one per property.
    ///
    /// - Parameters:
    ///   - endpointID: the recipient.
    ///   - url: the address of the endpoint.
    ///   - secrets: sign the message; not empty.
    ///   - id: the value of `webhook-id`.
    ///   - timestamp: the time of this attempt.
    ///   - body: exactly the text that is sent.
    ///   - headers: the headers besides those of the signature.
    public init(
        endpointID: String, url: String, secrets: [String], id: String, timestamp: Timestamp, body: String,
        headers: [String: String]
    ) {
        self.endpointID = endpointID
        self.url = url
        self.secrets = secrets
        self.id = id
        self.timestamp = timestamp
        self.body = body
        self.headers = headers
    }

    /// Signs with the endpoint's secrets that have not expired at the wall clock's time; with the first one if all
    /// have. Times for people are in `zone` where the endpoint has none.
    ///
    /// More than five parameters, because each is of another source.
    init(
        _ endpoint: Endpoint, id: String, body: String, headers: [String: String], wall: Timestamp, zone: TimeZone?
    ) {
        let valid = endpoint.secrets.filter { $0.expires.map { $0 > wall } ?? true }
        self.init(
            endpointID: endpoint.id, url: endpoint.url,
            secrets: (valid.isEmpty ? Array(endpoint.secrets.prefix(1)) : valid).map(\.value), id: id, timestamp: wall,
            body: body, headers: headers)
        if endpoint.kind.isForPeople { personal = PersonalMessage(endpoint, bodies: [body], zone: zone) }
    }

    /// One request about several deliveries of an endpoint for people.
    ///
    /// - Precondition: `deliveries` is not empty.
    init(_ endpoint: Endpoint, deliveries: [PendingDelivery], wall: Timestamp, zone: TimeZone?) {
        precondition(!deliveries.isEmpty, "a request needs a delivery")
        let first = deliveries[0]
        self.init(endpoint, id: first.eventID, body: first.body, headers: first.headers, wall: wall, zone: zone)
        publication = Publication(endpoint, device: first.deviceID, type: first.eventType)
        guard deliveries.count > 1 else { return }
        if endpoint.kind.isForPeople {
            personal = PersonalMessage(endpoint, bodies: deliveries.map(\.body), zone: zone)
        } else {
            (id, body) = (Self.batchID(deliveries), Self.batch(of: deliveries))
            // The requests that caused the events differ.
            headers["traceparent"] = nil
        }
    }

    /// The id of a message with several events: the same for the same events.
    private static func batchID(_ deliveries: [PendingDelivery]) -> String {
        var identity = Identity()
        for delivery in deliveries { identity.add(delivery.eventID) }
        return identity.text(prefix: "bat_")
    }

    /// The elements of all bodies, each an array of one, in one array.
    private static func batch(of deliveries: [PendingDelivery]) -> String {
        // Bytes, since an index of a text is found character by character.
        var body: [UInt8] = []
        body.reserveCapacity(deliveries.reduce(2) { $0 + $1.body.utf8.count })
        for delivery in deliveries {
            let start = body.count
            body += delivery.body.utf8
            // Its brackets become those of the whole, and the commas.
            body[start] = UInt8(ascii: start == 0 ? "[" : ",")
            body.removeLast()
        }
        body.append(UInt8(ascii: "]"))
        return String(decoding: body, as: UTF8.self)
    }
}
