import FencepostHTTP
import FencepostJSON
import FencepostService
import HTTPTypes
import Hummingbird

/// Where the node that merges the event streams of all partitions exchanges a ticket for the credentials that it was
/// issued to. Only nodes of the cluster can.
enum TicketExchange {
    /// The path, to which a ticket is posted.
    static let path = "/v1/cluster/tickets"

    /// Uses a ticket up.
    ///
    /// - Throws: a `Problem` when the ticket is unknown, used or expired.
    static func response(to request: Request, _ api: API) async throws -> RouteResponse {
        let ticket = String(decoding: try await BodyReader.read(request, limit: 256, inflatedLimit: 256), as: UTF8.self)
        guard let caller = api.tickets.redeem(ticket, now: api.clock.now()) else {
            throw Problem.unauthorized("The ticket is unknown, used or expired.", mayUseBasic: false)
        }
        return RouteResponse { writer in
            writer.beginObject()
            if caller.signedIn == nil {
                writer.member("authorization", "Bearer \(caller.secret)")
            } else {
                writer.member("cookie", "\(SessionCookie.name)=\(caller.secret)")
            }
            writer.endObject()
        }
    }

    /// The header with the credentials of an answer; `nil` for another body.
    static func credentials(in bytes: [UInt8]) -> HTTPField? {
        guard let root = (try? JSONDocument(parsing: bytes))?.root else { return nil }
        if let value = root["authorization"]?.string { return HTTPField(name: .authorization, value: value) }
        return root["cookie"]?.string.map { HTTPField(name: .cookie, value: $0) }
    }
}
