public import FencepostGeometry

/// The name that a region goes by, unique in its set.
public struct RegionID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    /// By bytes, as every list of regions is sorted.
    public static func < (a: RegionID, b: RegionID) -> Bool {
        a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
    }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// How a stream of fixes is turned into crossings of a boundary.
public enum CrossingMode: String, Hashable, Sendable, CaseIterable, Codable {
    /// Containment of each fix as it stands.
    case raw
    /// Weighs the accuracy of each fix and the fixes before it: no flapping, no event for an outlier.
    case confirmed
    /// As Core Location does: a cushion beyond the boundary and a stay on the new side.
    case coreLocation
}

/// Some JSON that is kept as it was written, to be handed on.
public struct JSONText: Hashable, Sendable {
    /// Compact and valid JSON.
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A place to watch, and what is wanted of it.
public struct Region: Hashable, Sendable {
    public enum InitialState: String, Hashable, Sendable, CaseIterable {
        /// `region.entered` when a device is first seen inside.
        case report
        case silent
    }

    public var id: RegionID
    public var name: String?
    public var tags: [String] = []
    public var shape: Shape
    public var notifyOnEntry = true
    public var notifyOnExit = true
    /// How long a device has been inside when `region.dwelled` is told, each once a stay; ascending, above zero.
    public var dwells: [Duration] = []
    public var initialState = InitialState.report
    /// Overrides the mode of the monitor.
    public var crossing: CrossingMode?
    /// When the region is open; `nil` is always.
    public var schedule: Schedule?
    /// Which devices it is for; `nil` is all.
    public var devices: [GlobPattern]?
    /// Metres; a fix below is outside. A fix without an altitude changes nothing where one of the two is set.
    public var minAltitude: Double?
    public var maxAltitude: Double?
    /// From then on nobody is inside.
    public var expires: Timestamp?
    /// Handed through to events.
    public var metadata: JSONText?
    /// The members of `properties` that Fencepost does not know, as a JSON object.
    public var otherProperties: JSONText?

    public init(id: RegionID, shape: Shape) {
        self.id = id
        self.shape = shape
    }

    /// What the monitor has to be told anew when it changes: all but what only people read.
    public func isWatchedAlike(_ other: Region) -> Bool {
        shape == other.shape && devices == other.devices && schedule == other.schedule && expires == other.expires
            && minAltitude == other.minAltitude && maxAltitude == other.maxAltitude && crossing == other.crossing
            && dwells == other.dwells
    }

    public func isMeant(for device: DeviceID) -> Bool {
        guard let devices else { return true }
        return devices.contains { $0.matches(device.rawValue) }
    }
}

/// A pattern with `*` for any run of characters and `?` for any one, the slash included.
public struct GlobPattern: Hashable, Sendable, Codable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the whole text fits the pattern.
    public func matches(_ text: String) -> Bool {
        let pattern = Array(rawValue.unicodeScalars)
        let text = Array(text.unicodeScalars)
        var (p, t) = (0, 0)
        // Where to go on when what follows the last star does not fit: one scalar later.
        var retry: (pattern: Int, text: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == "*" {
                p += 1
                retry = (p, t)
            } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
                p += 1
                t += 1
            } else if let last = retry {
                retry = (last.pattern, last.text + 1)
                p = last.pattern
                t = last.text + 1
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
