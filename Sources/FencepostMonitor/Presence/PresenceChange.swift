public import FencepostModel

/// A device has come into a region or gone out of it, as one of the crossing modes sees it.
public struct PresenceChange: Hashable, Sendable {
    public var isInside: Bool
    /// Whether nothing was known before: the first fixes of a device, or of a region.
    public var isInitial: Bool
    /// The best estimate of when it happened.
    public var timestamp: Timestamp
    /// The fix or the deadline that settled it.
    public var detectedAt: Timestamp
    /// 0 to 1; `nil` where the mode weighs nothing.
    public var confidence: Double?
    public var why: Why

    public init(
        isInside: Bool, isInitial: Bool, timestamp: Timestamp, detectedAt: Timestamp, confidence: Double? = nil,
        why: Why
    ) {
        self.isInside = isInside
        self.isInitial = isInitial
        self.timestamp = timestamp
        self.detectedAt = detectedAt
        self.confidence = confidence
        self.why = why
    }
}
