import FencepostService

/// Whom a limit of attempts concerns.
enum ClientNetwork {
    /// An IPv4 address, or the 64 bits of an IPv6 address that one subscriber has to himself.
    static func of(_ address: String) -> String {
        guard address.contains(":"), let bytes = NetworkRange.bytes(of: address),
            bytes.prefix(12) != [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        else { return address }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
