import FencepostJSON
import HTTPTypes
import Hummingbird

/// The response of a route.
struct RouteResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// Written while it is produced; the size is not known before.
        case stream(@Sendable (inout any ResponseBodyWriter) async throws -> Void)
    }

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: Body

    init(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static let json = "application/json"
    static let geoJSON = "application/geo+json"

    init(_ status: HTTPResponse.Status = .ok, type: String = RouteResponse.json, bytes: [UInt8]) {
        self.init(status, headers: [.contentType: type], body: .bytes(bytes))
    }

    init(_ status: HTTPResponse.Status = .ok, type: String = RouteResponse.json, text: String) {
        self.init(status, type: type, bytes: Array(text.utf8))
    }

    /// A JSON response.
    init(_ status: HTTPResponse.Status = .ok, type: String = RouteResponse.json, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        self.init(status, type: type, bytes: writer.bytes)
    }

    static let noContent = RouteResponse(.noContent)

    func located(at path: String) -> RouteResponse {
        var response = self
        response.headers[.location] = path
        return response
    }

    /// Adds an entity tag: the given one, or a strong tag of the body.
    func tagged(_ tag: EntityTag? = nil) -> RouteResponse {
        guard case .bytes(let bytes) = body else { return self }
        var response = self
        response.headers[.eTag] = (tag ?? EntityTag(of: bytes)).description
        return response
    }
}
