/// The address of map tiles: a pattern such as `https://tiles.example.org/{z}/{x}/{y}.png`.
public struct TileAddress: Hashable, Sendable {
    /// The pattern.
    public let pattern: String
    /// Scheme, host and port, for the page's content security policy.
    public let origin: String

    /// `nil` for an invalid pattern.
    ///
    /// - Parameter pattern: `https` or `http`, a host without user info and wildcards, and `{z}`, `{x}` and `{y}`.
    public init?(_ pattern: String) {
        guard let match = pattern.wholeMatch(of: /(?<origin>https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?)\/[!-~]*/),
            ["{z}", "{x}", "{y}"].allSatisfy(match.output.0.contains)
        else { return nil }
        self.pattern = pattern
        origin = String(match.output.origin)
    }
}
