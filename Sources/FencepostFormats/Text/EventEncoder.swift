internal import FencepostJSON
public import FencepostModel

/// Encodes a stream of events.
public struct EventEncoder: Sendable {
    /// The encoding of a stream of events.
    public enum Format: Hashable, Sendable {
        /// One object per line.
        case ndjson
        /// One feature collection, one feature per line; complete after `finish`.
        case geojson
    }

    private let format: Format
    private var writer = JSONWriter()
    private var hasFeatures = false

    /// An encoder before the first event.
    public init(_ format: Format) {
        self.format = format
    }

    /// Encodes an event, with the separator from the one before.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - apps: the delivery objects of the apps on the device.
    ///   - explains: whether the event's `why` is written.
    public mutating func encode(_ event: Event, apps: [JSONText] = [], explains: Bool = true) {
        separate()
        encodePiece(event, apps: apps, explains: explains)
    }

    /// Encodes an event without the separator between events, for `append(_:of:)` of the encoder that writes the
    /// stream.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - apps: the delivery objects of the apps on the device.
    ///   - explains: whether the event's `why` is written.
    public mutating func encodePiece(_ event: Event, apps: [JSONText] = [], explains: Bool = true) {
        switch format {
        case .ndjson:
            writer.value(event, apps: apps, explains: explains)
            writer.newline()
        case .geojson:
            writer.feature(event, apps: apps, explains: explains)
            writer.appendRaw("")
        }
    }

    /// Appends an event that another encoder has encoded.
    ///
    /// `range` is that of its bytes among those of the other encoder.
    public mutating func append(_ range: Range<Int>, of other: borrowing EventEncoder) {
        separate()
        writer.appendRaw(range, of: other.writer)
    }

    /// Writes the end of a feature collection.
    public mutating func finish() {
        guard format == .geojson else { return }
        writer.appendRaw(hasFeatures ? "\n]}\n" : EventEncoder.header + "]}\n")
    }

    /// The number of bytes written since the last call of `takeBytes` or `removeBytes`.
    public var count: Int { writer.count }

    /// Returns the bytes written since the last call.
    public mutating func takeBytes() -> [UInt8] { writer.takeBytes() }

    /// Calls `body` with the bytes written since the last call of `takeBytes` or `removeBytes`.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result { try writer.withBytes(body) }

    /// Removes the bytes written so far, and keeps the memory.
    public mutating func removeBytes() { writer.removeAll() }

    private mutating func separate() {
        guard format == .geojson else { return }
        writer.appendRaw(hasFeatures ? ",\n" : EventEncoder.header)
        hasFeatures = true
    }

    private static let header = "{\"type\":\"FeatureCollection\",\"features\":[\n"
}
