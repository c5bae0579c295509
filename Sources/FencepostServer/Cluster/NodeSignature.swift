import FencepostCrypto
import FencepostHTTP
import FencepostModel
import HTTPTypes

/// What a node of a cluster states and signs about a request that it sends to another one.
///
/// A client cannot state it, and nobody can use what he has read of one request for another request or a second time. No clock is
/// needed, since those of the nodes may differ by hours: a request names the run of the process that it is for, and has a number.
struct NodeSignature: Hashable, Sendable {
    /// The name of the header. An earlier version sent the key itself under it.
    static let name = Forwarding.name
    /// The name of the header, in answers, with the run of the process that a request has to name.
    static let sessionName = HTTPField.Name(literal: "Fencepost-Session")
    /// The name of the header, in answers, that says that the signature counted. A version before signatures takes a request of a
    /// node for one of a client.
    static let acceptedName = HTTPField.Name(literal: "Fencepost-Accepted")
    private static let version = "3"

    /// The client's address, or `Forwarding.ownClient`.
    var client: String
    /// The part that the request is about.
    var part: ClusterPartition?
    /// Whether the answer becomes a part of one about all partitions.
    var isOfFanOut = false
    /// The id of an import that the router has chosen; `nil` for another request.
    var importID: String?
    /// SHA-256 of the body, in hexadecimal digits.
    var bodyHash: String
    /// The run of the process that gets it; 0 before it is known.
    var session: UInt64 = 0
    /// The run of the process that sends it, and the number of the request in that run.
    var run: UInt64 = 0
    var number: UInt64 = 0

    /// SHA-256 of a body, as signatures have it.
    static func hash(_ body: [UInt8]) -> String { SHA256.hash(body).hexadecimal }

    private var fields: String {
        [
            Self.version, String(session, radix: 16), String(run, radix: 16), String(number), bodyHash,
            isOfFanOut ? "1" : "0", part.map { "\($0)" } ?? "-", importID ?? "-", client,
        ].joined(separator: " ")
    }

    /// The value of the header of a request.
    func value(method: String, target: String, key: [UInt8]) -> String {
        let fields = fields
        return fields + " " + Self.code(fields, method, target, key).hexadecimal
    }

    /// Reads the value of a header; `nil` when a node has not signed it for this request.
    init?(_ value: String, method: String, target: String, key: [UInt8]) {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 10, words[0] == Self.version, let end = value.lastIndex(of: " "),
            let code = [UInt8](hexadecimal: words[9]),
            ConstantTime.areEqual(code, Self.code(String(value[..<end]), method, target, key)),
            let session = UInt64(words[1], radix: 16), let run = UInt64(words[2], radix: 16),
            let number = UInt64(words[3])
        else { return nil }
        (self.session, self.run, self.number) = (session, run, number)
        bodyHash = String(words[4])
        isOfFanOut = words[5] == "1"
        part = ClusterPartition(words[6])
        importID = words[7] == "-" ? nil : String(words[7])
        client = String(words[8])
    }

    /// What a node states about a request, before it is numbered.
    init(
        client: String, part: ClusterPartition? = nil, isOfFanOut: Bool = false, importID: String? = nil, body: [UInt8]
    ) {
        (self.client, self.part, self.isOfFanOut, self.importID) = (client, part, isOfFanOut, importID)
        bodyHash = Self.hash(body)
    }

    private static func code(_ fields: String, _ method: String, _ target: String, _ key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array("fencepost request\n\(method)\n\(target)\n\(fields)".utf8), key: key)
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    fileprivate init?(hexadecimal text: Substring) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var rest = text
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = bytes
    }
}
