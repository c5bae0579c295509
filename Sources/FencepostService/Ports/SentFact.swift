public import FencepostModel

/// What the last message to people said of one device and one region.
public struct SentFact: Hashable, Sendable, Codable {
    /// Whether it said that the device is inside.
    public var isInside: Bool
    /// When the device came or left.
    public var at: Timestamp
    /// Whether the message was about a visit, and not about an entry or an exit.
    public var isVisit: Bool

    /// What a message said.
    public init(isInside: Bool, at: Timestamp, isVisit: Bool) {
        self.isInside = isInside
        self.at = at
        self.isVisit = isVisit
    }
}
