internal import FencepostJSON
public import FencepostModel

/// Writes a stream of events.
public struct EventEncoder: Sendable {
    public enum Format: Hashable, Sendable {
        /// One object a line.
        case ndjson
        /// One feature collection, a feature a line; complete after `finish`.
        case geojson
    }

    private let format: Format
    private var writer = JSONWriter()
    private var bytes: [UInt8] = []
    private var hasFeatures = false

    public init(_ format: Format) {
        self.format = format
    }

    /// - Parameter apps: the delivery objects of the apps on the device.
    public mutating func encode(_ event: Event, apps: [JSONText] = []) {
        writer.removeAll()
        switch format {
        case .ndjson:
            writer.value(event, apps: apps)
            writer.newline()
        case .geojson:
            bytes.append(contentsOf: (hasFeatures ? ",\n" : EventEncoder.header).utf8)
            hasFeatures = true
            writer.feature(event, apps: apps)
        }
        bytes.append(contentsOf: writer.bytes)
    }

    /// Writes the end of a feature collection.
    public mutating func finish() {
        guard format == .geojson else { return }
        bytes.append(contentsOf: (hasFeatures ? "\n]}\n" : EventEncoder.header + "]}\n").utf8)
    }

    /// What has been written since the last call.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private static let header = "{\"type\":\"FeatureCollection\",\"features\":[\n"
}
