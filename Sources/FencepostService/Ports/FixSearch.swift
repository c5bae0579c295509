public import FencepostGeometry
public import FencepostModel

/// Finds the devices with a stored fix in an area, or with two fixes on a straight line through it.
public struct FixSearch: Sendable {
    /// Rectangles, of which each lies between 180° west and 180° east.
    public var areas: [Envelope]
    /// The longest time between two fixes whose line counts.
    public var longestInterval: Duration
    /// Only devices with a fix before this time; `nil` for all.
    public var before: Timestamp?
    /// The first device, by the bytes of the ids; `nil` for all.
    public var first: DeviceID?
    /// Whether a device is wanted.
    public var includes: @Sendable (DeviceID) -> Bool

    /// A search for all devices near some rectangles.
    ///
    /// - Parameters:
    ///   - areas: rectangles between 180° west and 180° east.
    ///   - longestInterval: the longest time between two fixes whose line counts.
    ///   - includes: whether a device is wanted.
    public init(
        areas: [Envelope], longestInterval: Duration, includes: @escaping @Sendable (DeviceID) -> Bool = { _ in true }
    ) {
        (self.areas, self.longestInterval, self.includes) = (areas, longestInterval, includes)
    }
}

/// The stored fixes of a device by time, and those of one time in the order of their arrival. Fixes whose time is ahead of their
/// arrival are left out, as they are never evaluated.
public struct FixSource {
    private let read: ((Location) throws -> Bool) throws -> Void

    /// Fixes that a function reads. It calls its argument for each fix, until that returns false.
    public init(_ read: @escaping ((Location) throws -> Bool) throws -> Void) { self.read = read }

    /// Calls the body for each fix, until it returns false.
    public func forEach(_ body: (Location) throws -> Bool) throws { try read(body) }
}
