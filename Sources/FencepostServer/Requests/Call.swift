import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore

/// A request that was matched with a route.
struct Call: Sendable {
    var method: HTTPRequest.Method
    /// The path as it was sent, without the query.
    let path: String
    let headers: HTTPFields
    /// Decoded path parameters by name.
    var parameters: [String: String]
    var query: Query
    /// The decompressed body; empty for routes without a body.
    var body: [UInt8] = []
    /// The body's media type in lower case, without parameters; `nil` without a `Content-Type`.
    let contentType: String?
    var caller = Caller.anonymous
    let requestID: String
    /// The connection's inbound side, for responses that have to notice when it closes; `nil` for a request that does not
    /// come over a connection of its own.
    let connection: RequestBody?
    let channel: any Channel
    /// Host and port that the request names.
    var authority: String?
    /// The network address of the connection's other end; empty when it is not known.
    var address = ""
    /// Whether the request is a part of one about all partitions of a cluster, and answered for the node that asks.
    var isOfFanOut = false
    /// `nil` where the request's trace is not recorded.
    var trace: RequestTrace?

    var precondition: Precondition { Precondition(headers) }
}

extension Call {
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Who shares a queue with other callers.
    var owner: String { caller.token?.id ?? "" }

    // MARK: Query

    static let defaultLimit = 50
    static let largestLimit = 500

    func limit() throws(Problem) -> Int {
        guard let text = query["limit"] else { return Call.defaultLimit }
        guard let limit = Int(text), (1...Call.largestLimit).contains(limit) else {
            throw .parameter("limit", "it has to be an integer from 1 to \(Call.largestLimit).")
        }
        return limit
    }

    func cursor<Position>(_ decode: (String) -> Position?) throws(Problem) -> Position? {
        guard let text = query["cursor"] else { return nil }
        guard let position = decode(text) else {
            throw .parameter("cursor", "it has to be the nextCursor of an earlier page.", code: "invalid_cursor")
        }
        return position
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        switch query[name] {
        case nil, "false", "0": return false
        case "true", "1": return true
        default: throw .parameter(name, "it has to be true or false.")
        }
    }

    func time(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = query[name] else { return nil }
        // A plus sign that was not percent-encoded arrives as a space.
        let written = text.replacing(" ", with: "+")
        if let time = Timestamp(rfc3339: written) { return time }
        // The years 1 to 9999, as RFC 3339 can state them.
        if let seconds = Int64(text), (-62_135_596_800...253_402_300_799).contains(seconds) {
            return Timestamp(seconds: seconds)
        }
        throw .parameter(name, "it has to be an RFC 3339 time such as 2026-03-01T08:30:00Z.")
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let text = query[name] else { return nil }
        guard let number = Double(decimal: text), range.contains(number) else {
            throw .parameter(name, "it has to be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func numbers(_ name: String, count: Int) throws(Problem) -> [Double]? {
        guard let text = query[name] else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double(decimal: String($0.drop { $0 == " " }))
        }
        guard numbers.count == count, !numbers.contains(nil) else {
            throw .parameter(name, "it has to be \(count) numbers separated by commas.")
        }
        return numbers.compactMap { $0 }
    }

    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _: Word.Type
    ) throws(Problem) -> Word? where Word.RawValue == String {
        guard let text = query[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            throw .unknownValue(of: name, text, known: Word.allCases.map(\.rawValue))
        }
        return word
    }

    /// In which order a list is read.
    func order() throws(Problem) -> HistoryOrder { try word("order", HistoryOrder.self) ?? .ascending }

    /// The device of `?deviceId=`, where no pattern is taken, or that of the caller's token.
    func device() throws(Problem) -> DeviceID? {
        guard let name = query["deviceId"] else { return caller.deviceID }
        guard !DeviceChoice.isPattern(name) else {
            throw .parameter("deviceId", "it has to be the id of one device here, and no pattern such as vans/*.")
        }
        guard let device = try? DeviceID(validating: name) else {
            throw .parameter("deviceId", "it has to be the id of a device.")
        }
        guard caller.maySee(device) else { throw .notFound("device") }
        return device
    }

    /// The device of the path.
    func pathDevice() throws(Problem) -> DeviceID {
        guard let device = try? DeviceID(validating: parameter("id")), caller.maySee(device) else {
            throw .notFound("device")
        }
        return device
    }

    func filter() throws(Problem) -> HistoryFilter {
        var filter = HistoryFilter()
        let named = try namedDevices()
        (filter.deviceID, filter.chosen) = (named.device, named.patterns)
        filter.devices = caller.visibility.devices
        filter.regionID = query["regionId"].map(RegionID.init)
        for type in query.all("type").flatMap({ $0.split(separator: ",") }) {
            filter.types.append(GlobPattern(String(type)))
        }
        filter.from = try time("from")
        filter.to = try time("to")
        return filter
    }

    // MARK: Body

    /// The body as a JSON document without duplicate names in an object.
    func json() throws(Problem) -> JSONDocument {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(parsing: body)
        } catch {
            throw .syntax(error)
        }
        let repeated = document.duplicateNames()
        guard repeated.isEmpty else {
            throw .invalid(
                "duplicate_name", "An object contains a name twice.",
                repeated.prefix(Problem.faultLimit).map {
                    Problem.Fault(
                        pointer: $0.description, code: "duplicate_name",
                        detail: "The object contains this name twice.")
                })
        }
        return document
    }

    // MARK: Pages

    /// A page of a list. The body and a `Link` header contain the cursor of the next page.
    ///
    /// `next` is the cursor after the last element; `nil` at the end of the list.
    /// `cursors`: those after each element, for the node that merges the pages of all partitions.
    func page<Element>(
        _ elements: some Sequence<Element>, next: String?, cursors: @autoclosure () -> [String] = [],
        _ write: (inout JSONWriter, Element) -> Void
    ) -> RouteResponse {
        let response = RouteResponse { writer in
            writer.beginObject()
            writer.array("data", elements, write)
            writer.name("nextCursor")
            if let next { writer.value(next) } else { writer.null() }
            if isOfFanOut { writer.list("cursors", cursors()) }
            writer.endObject()
        }
        return linked(response, next: next)
    }

    func linked(_ response: RouteResponse, next: String?) -> RouteResponse {
        guard let next else { return response }
        var response = response
        response.headers[.link] = Self.link(to: path, query, cursor: next)
        return response
    }

    /// The value of a `Link` header with the address of the next page.
    static func link(to path: String, _ query: Query, cursor: String) -> String {
        let others = query.items.filter { !["cursor", "token", "ticket"].contains($0.name) }
            .map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        return "<\(path)?\((others + ["cursor=" + cursor]).joined(separator: "&"))>; rel=\"next\""
    }
}

extension HTTPField.Name {
    static let link = HTTPField.Name(literal: "Link")
}

extension Double {
    /// Parses a decimal number (rule I33): no `nan`, `inf` or hexadecimal notation, and no number too large for a
    /// `Double`.
    init?(decimal text: String) {
        guard let number = DecimalNumber.parse(text) else { return nil }
        self = number
    }
}
