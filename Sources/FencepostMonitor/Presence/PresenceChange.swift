public import FencepostModel

/// A device entered or left the shape of a region, as a crossing mode finds it. The schedule does not count yet.
public struct PresenceChange: Hashable, Sendable {
    /// Whether the device is inside from now on.
    public var isInside: Bool
    /// Whether the state was unknown before: the first fixes of a device, or of a region.
    public var isInitial: Bool
    /// The best estimate of when it happened.
    public var timestamp: Timestamp
    /// The time of the fix or of the deadline that decided it.
    public var detectedAt: Timestamp
    /// The last fix before and the first fix after it, if these are far apart in time.
    public var earliest, latest: Timestamp?
    /// 0 to 1; `nil` if the mode estimates none.
    public var confidence: Double?
    /// The rule that decided the change and the values that it used.
    public var why: Why

    /// A change, one parameter for each property because the modes set them from different states.
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
