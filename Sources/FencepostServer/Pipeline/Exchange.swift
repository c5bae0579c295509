import FencepostHTTP
import HTTPTypes
import Hummingbird
import NIOCore

/// A request on its way through the stages, with what each has found out.
struct Exchange: Sendable {
    let request: Request
    /// The path by which the route is found, without the query.
    let path: String
    /// Without the question mark, as it was sent; empty for none.
    let query: Substring
    let started = ContinuousClock.now
    /// The body where it was read before, with its content encoding; `nil` where it is still to be read.
    let held: [UInt8]?
    /// `nil` until one was found.
    var route: Route?
    /// What the route gets. Until one was found it has the request's own method, and neither parameters nor a query.
    var call: Call
    /// Rate limits, for the response.
    var limits = HTTPFields()
    /// Why a stage has not done its part; `nil` while all have.
    var failure: (any Error)?
    /// The code of the problem that was answered.
    var cause: String?
    /// `nil` until the route has run, and for a request that is left to another node.
    var response: RouteResponse?

    /// - Parameters:
    ///   - request: the request.
    ///   - path: the path by which the route is found; `nil` for that of the request.
    ///   - client: the client's address, where another node or a port has stated it.
    ///   - held: the body where it was read before.
    ///   - connection: the inbound side of the client's connection; `nil` when the request does not come over one of
    ///     its own.
    ///   - channel: the client's connection.
    ///   - requestIDs: gives the request an id if it has none.
    ///
    /// More than five parameters, because each is another property of the request.
    init(
        _ request: Request, path: String? = nil, client: String, held: [UInt8]? = nil, connection: RequestBody?,
        channel: any Channel, requestIDs: RequestIDs
    ) {
        let target = request.head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let own = String(target[..<mark])
        (self.request, self.path, self.held) = (request, path ?? own, held)
        query = target[mark...].dropFirst()
        call = Call(
            method: request.method, path: own, headers: request.headers, parameters: [:], query: Query(),
            contentType: request.headers[.contentType].flatMap { MediaType.normalized($0) },
            requestID: RequestIDs.given(in: request.headers) ?? requestIDs.next(), connection: connection,
            channel: channel, authority: request.head.authority, address: client)
    }
}
