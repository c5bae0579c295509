import FencepostHTTP
import FencepostService
import HTTPTypes

/// Reverse proxies whose `X-Forwarded-…` headers count.
struct TrustedProxies: Sendable {
    private let ranges: [NetworkRange]

    init(_ ranges: [NetworkRange]) {
        self.ranges = ranges
    }

    private func contains(_ address: String) -> Bool { ranges.contains { $0.contains(address) } }

    /// The address of the client: of the addresses that proxies added, the last one that is no trusted proxy.
    ///
    /// Anybody can write the first ones. `peer` is the address of the connection.
    func client(_ headers: HTTPFields, peer: String) -> String {
        guard contains(peer) else { return peer }
        let hops = headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingSpaces }
        return hops.last { !contains($0) && NetworkRange.bytes(of: $0) != nil } ?? peer
    }

    /// Whether the client's connection is encrypted, as a trusted proxy says.
    func isSecure(_ headers: HTTPFields, peer: String) -> Bool {
        guard contains(peer), let hop = headers[values: .xForwardedProto].last?.split(separator: ",").last else {
            return false
        }
        return hop.trimmingSpaces.lowercased() == "https"
    }

    /// The host that the client asked for: that of the request, or the one that a trusted proxy says.
    func host(_ headers: HTTPFields, peer: String, authority: String?) -> String? {
        guard contains(peer), let host = headers[.xForwardedHost] else { return authority }
        return host.split(separator: ",").last.map { $0.trimmingSpaces }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

extension HTTPField.Name {
    static let xForwardedFor = HTTPField.Name(literal: "X-Forwarded-For")
    fileprivate static let xForwardedProto = HTTPField.Name(literal: "X-Forwarded-Proto")
    fileprivate static let xForwardedHost = HTTPField.Name(literal: "X-Forwarded-Host")
}
