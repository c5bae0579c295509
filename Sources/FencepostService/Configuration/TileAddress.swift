/// Where map tiles come from, as a pattern such as `https://tiles.example.org/{z}/{x}/{y}.png`.
public struct TileAddress: Hashable, Sendable {
    public let pattern: String
    /// Scheme, host and port: what a browser is allowed to load images from.
    public let origin: String

    /// - Parameter pattern: `https` or `http`, a host without user info and wildcards, and `{z}`, `{x}` and `{y}`.
    public init?(_ pattern: String) {
        guard let match = pattern.wholeMatch(of: /(?<origin>https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?)\/[!-~]*/),
            ["{z}", "{x}", "{y}"].allSatisfy(match.output.0.contains)
        else { return nil }
        self.pattern = pattern
        origin = String(match.output.origin)
    }
}
