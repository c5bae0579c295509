import FencepostJSON
import FencepostModel
import FencepostService
import FencepostWebhooks
import Foundation

/// A message as brokers keep it.
struct BrokerMessage {
    /// The subject, stream, routing key or topic.
    var address: String
    /// The id of the event, by which receivers and brokers find duplicates.
    var id: String
    /// The type of the event on the wire.
    var type: String
    /// The id of the device, by which brokers divide messages; `nil` for an event without one.
    var device: String?
    /// JSON.
    var body: String
    var contentType: String
    /// The attributes of CloudEvents in binary mode, without a prefix and not encoded, by name; otherwise empty.
    var attributes: [(name: String, value: String)]
    /// When it is sent.
    var timestamp: Timestamp

    /// The message of a request to a broker.
    ///
    /// - Parameters:
    ///   - request: the body, the header fields and the id.
    ///   - publication: what the message is about.
    /// - Throws: `BrokerFailure` when the address is too long.
    init(_ request: WebhookRequest, _ publication: Publication) throws(BrokerFailure) {
        guard let template = publication.template else {
            throw BrokerFailure(.unroutable, "the template of the address is invalid")
        }
        let region = template.usesRegion ? Self.region(in: request.body) : nil
        do throws(DestinationTemplate.Failure) {
            address = try template.address(
                device: publication.device?.rawValue, type: publication.type, region: region)
        } catch {
            throw BrokerFailure(.unroutable, error.description)
        }
        (id, type, device) = (request.id, publication.type, publication.device?.rawValue)
        (body, timestamp) = (request.body, request.timestamp)
        contentType = request.headers["content-type"] ?? "application/json"
        attributes = request.headers.filter { $0.key.hasPrefix("ce-") }.sorted { $0.key < $1.key }.map { name, value in
            // The header fields are those of HTTP, which are percent-encoded.
            (String(name.dropFirst(3)), value.removingPercentEncoding ?? value)
        }
    }

    /// The region of the event in a body; of a visit the first one.
    private static func region(in body: String) -> String? {
        guard let root = try? JSONDocument(parsing: body).root else { return nil }
        let data = root["data"] ?? root
        return data["region"]?["id"]?.string ?? data["visit"]?["regions"]?.array.flatMap { Array($0).first }?.string
    }
}
