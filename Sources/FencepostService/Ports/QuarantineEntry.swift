public import FencepostModel

/// A record that was rejected, and the reason.
public struct QuarantineEntry: Hashable, Sendable {
    /// When it arrived.
    public var receivedAt: Timestamp
    /// As in `Submission.format`.
    public var format: String
    /// The device; `nil` when it is not known.
    public var deviceID: DeviceID?
    /// Index of the record in the request, from 0.
    public var index: Int
    /// A `RejectionCode`.
    public var code: String
    /// One sentence for people.
    public var detail: String
    /// The fix, if only its time was refused; `QuarantineRelease` submits it again.
    public var fix: Location?

    /// A rejected record.
    ///
    /// More than five parameters, because each is a member without a default.
    public init(
        receivedAt: Timestamp, format: String, deviceID: DeviceID?, index: Int, code: String, detail: String,
        fix: Location? = nil
    ) {
        self.fix = fix
        self.receivedAt = receivedAt
        self.format = format
        self.deviceID = deviceID
        self.index = index
        self.code = code
        self.detail = detail
    }
}
