import FencepostCrypto
import FencepostJSON
import HTTPTypes
import Hummingbird

/// What a route answers.
struct Answer: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// Written as it is made; the size is not known before.
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

    init(_ status: HTTPResponse.Status = .ok, type: String = Answer.json, bytes: [UInt8]) {
        self.init(status, headers: [.contentType: type], body: .bytes(bytes))
    }

    init(_ status: HTTPResponse.Status = .ok, type: String = Answer.json, text: String) {
        self.init(status, type: type, bytes: Array(text.utf8))
    }

    /// JSON as it is written.
    init(_ status: HTTPResponse.Status = .ok, type: String = Answer.json, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        self.init(status, type: type, bytes: writer.bytes)
    }

    static let noContent = Answer(.noContent)

    func located(at path: String) -> Answer {
        var answer = self
        answer.headers[.location] = path
        return answer
    }

    /// With a strong entity tag of the body, unless there is one.
    func tagged(_ tag: EntityTag? = nil) -> Answer {
        guard case .bytes(let bytes) = body else { return self }
        var answer = self
        answer.headers[.eTag] = (tag ?? EntityTag(of: bytes)).description
        return answer
    }
}

/// A strong validator (RFC 9110, 8.8.3): equal tags mean equal bytes.
struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// With its quotation marks.
    let description: String

    init(of bytes: some Sequence<UInt8>) {
        let digest = SHA256.hash(Array(bytes))
        let digits = Array("0123456789abcdef".utf8)
        let hex = digest.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        description = "\"" + String(decoding: hex, as: UTF8.self) + "\""
    }

    /// Whether the value of `If-Match` or `If-None-Match` names it, or is `*`.
    ///
    /// - Parameter weakly: as `If-None-Match` compares, for which a weak tag is as good.
    func isNamed(in field: String, weakly: Bool) -> Bool {
        field.split(separator: ",").contains { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while part.last == " " || part.last == "\t" { part.removeLast() }
            if weakly, part.hasPrefix("W/") { part = part.dropFirst(2) }
            return part == "*" || part == description
        }
    }
}

/// What a request expects of the resource that it changes (rule A6).
struct Precondition: Sendable {
    let ifMatch, ifNoneMatch: String?

    init(_ headers: HTTPFields) {
        ifMatch = headers[.ifMatch]
        ifNoneMatch = headers[.ifNoneMatch]
    }

    /// - Parameter current: `nil` when there is no such resource.
    func check(_ current: EntityTag?) throws(Problem) {
        if let ifMatch, !(current?.isNamed(in: ifMatch, weakly: false) ?? false) { throw .preconditionFailed }
        if let ifNoneMatch, current?.isNamed(in: ifNoneMatch, weakly: true) ?? false { throw .preconditionFailed }
    }
}
