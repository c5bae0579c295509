package import FencepostJSON
package import HTTPTypes
package import Hummingbird
import NIOCore

/// The response of a route.
package struct RouteResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Written while it is produced; the size is not known before.
        case stream(@Sendable (inout any ResponseBodyWriter) async throws -> Void)
    }

    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: Body
    /// How many numbers of the body JSON cannot hold; they are `null`.
    package var unwritableNumbers = 0

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static let json = "application/json"
    package static let geoJSON = "application/geo+json"
    /// An Excel workbook.
    package static let workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    package init(_ status: HTTPResponse.Status = .ok, type: String = RouteResponse.json, bytes: [UInt8]) {
        self.init(status, headers: [.contentType: type], body: .bytes(bytes))
    }

    package init(_ status: HTTPResponse.Status = .ok, type: String = RouteResponse.json, text: String) {
        self.init(status, type: type, bytes: Array(text.utf8))
    }

    /// A JSON response.
    package init(
        _ status: HTTPResponse.Status = .ok, type: String = RouteResponse.json, _ write: (inout JSONWriter) -> Void
    ) {
        var writer = JSONWriter()
        write(&writer)
        self.init(status, type: type, bytes: writer.bytes)
        unwritableNumbers = writer.unwritableNumbers
    }

    package static let noContent = RouteResponse(.noContent)

    package func located(at path: String) -> RouteResponse {
        var response = self
        response.headers[.location] = path
        return response
    }

    /// Adds an entity tag: the given one, or a strong tag of the body.
    package func tagged(_ tag: EntityTag? = nil) -> RouteResponse {
        guard case .bytes(let bytes) = body else { return self }
        var response = self
        response.headers[.eTag] = (tag ?? EntityTag(of: bytes)).description
        return response
    }
}

// MARK: - As it is sent

extension RouteResponse {
    /// Problem details.
    package init(_ problem: Problem, instance path: String) {
        var headers = problem.headers
        headers[.contentType] = "application/problem+json"
        self.init(problem.status, headers: headers, body: .bytes(problem.json(instance: path)))
    }

    /// The response with security headers for browsers (rule L4, API8).
    package func encoded(isHead: Bool = false) -> Response {
        var response = self
        response.secure()
        switch response.body {
        case .bytes(let bytes):
            if isHead {
                response.headers[.contentLength] = String(bytes.count)
                return Response(status: response.status, headers: response.headers)
            }
            guard !bytes.isEmpty else { return Response(status: response.status, headers: response.headers) }
            return Response(
                status: response.status, headers: response.headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let write):
            if isHead { return Response(status: response.status, headers: response.headers) }
            return Response(status: response.status, headers: response.headers, body: ResponseBody(write))
        }
    }

    private static let safety = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"), HTTPField(name: .referrerPolicy, value: "no-referrer"),
        HTTPField(name: .xFrameOptions, value: "DENY"),
    ]
    private static let policy = HTTPField(
        name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'")

    private mutating func secure() {
        for field in Self.safety { headers.append(field) }
        if headers[.contentSecurityPolicy] == nil { headers.append(Self.policy) }
        // Responses contain positions of people: no cache may store them.
        if headers[.cacheControl] == nil {
            headers[.cacheControl] = headers[.eTag] == nil ? "no-store" : "no-cache, private"
        }
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name(literal: "Referrer-Policy")
    fileprivate static let xFrameOptions = HTTPField.Name(literal: "X-Frame-Options")
}
