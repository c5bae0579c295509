public import FencepostGeometry

/// The id of a region, unique in its set.
public struct RegionID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The text of the id, as in the region file.
    public let rawValue: String

    /// An id with a text that the reader of region files has checked.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text of the id.
    public var description: String { rawValue }

    /// Compares bytes. Every list of regions has this order.
    public static func < (a: RegionID, b: RegionID) -> Bool {
        a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
    }

    /// Reads an id as one string, without checking it.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the id as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// How fixes become crossings of a boundary.
public enum CrossingMode: String, Hashable, Sendable, CaseIterable, Codable {
    /// A crossing is a change of containment from one fix to the next. Ignores accuracy.
    case raw
    /// Filters noise: weighs each fix by its accuracy and by the fixes before it, so that neither a device near the
    /// boundary nor an outlier causes repeated crossings.
    case confirmed
    /// Follows Core Location: the device must be beyond the boundary by a cushion, and stay there for a while.
    case coreLocation
}

/// A JSON value as text, which is passed on unchanged.
public struct JSONText: Hashable, Sendable {
    /// Compact and valid JSON.
    public let rawValue: String

    /// A text that the caller knows to be compact and valid JSON; it is not checked.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A shape to monitor and the events that are wanted for it.
public struct Region: Hashable, Sendable {
    /// What a first fix inside the region produces.
    public enum InitialState: String, Hashable, Sendable, CaseIterable {
        /// A device whose first fix is inside produces `region.entered`.
        case report
        /// A device whose first fix is inside produces no event.
        case silent
    }

    /// The id, unique in the set of regions.
    public var id: RegionID
    /// The name for people; `nil` if the region file has none.
    public var name: String?
    /// Labels that events carry and that filters select by.
    public var tags: [String] = []
    /// The area that is monitored: a circle, a corridor or polygons.
    public var shape: Shape
    /// Whether an entry produces `region.entered`.
    public var notifyOnEntry = true
    /// Whether an exit produces `region.exited`.
    public var notifyOnExit = true
    /// The times inside after which `region.dwelled` is reported, each once per stay; ascending, above zero.
    public var dwells: [Duration] = []
    /// Whether a device whose first fix is inside produces `region.entered`.
    public var initialState = InitialState.report
    /// Overrides `MonitorSettings.crossing`; `nil` does not.
    public var crossing: CrossingMode?
    /// When the region is open; `nil` means always.
    public var schedule: Schedule?
    /// The devices that the region applies to; `nil` means all.
    public var devices: [GlobPattern]?
    /// The lower bound of the altitude band, in metres; `nil` if it has none. Both bounds are inclusive.
    ///
    /// A fix below or above the band is outside. If a bound is set, a fix without an altitude changes nothing.
    public var minAltitude: Double?
    /// The upper bound of the altitude band, in metres; `nil` if it has none.
    public var maxAltitude: Double?
    /// At this time every device inside exits, and no device enters later.
    public var expires: Timestamp?
    /// The speed above which a device in the region causes an alert; `nil` for none.
    public var speedLimit: SpeedLimit?
    /// Passed on to events unchanged.
    public var metadata: JSONText?
    /// The members of `properties` that Fencepost does not interpret, as a JSON object.
    public var otherProperties: JSONText?

    /// A region that reports every entry and exit of all devices at all times and altitudes, and no dwell.
    public init(id: RegionID, shape: Shape) {
        self.id = id
        self.shape = shape
    }

    /// Whether a device's state in this region is also valid in the other one: all members that its state depends on are
    /// equal. The others only affect future events.
    public func sharesDeviceState(with other: Region) -> Bool {
        shape == other.shape && devices == other.devices && schedule == other.schedule && expires == other.expires
            && minAltitude == other.minAltitude && maxAltitude == other.maxAltitude && crossing == other.crossing
            && dwells == other.dwells
    }

    /// Whether `devices` includes the device.
    public func applies(to device: DeviceID) -> Bool {
        guard let devices else { return true }
        return devices.contains { $0.matches(device.rawValue) }
    }

    /// Whether an altitude in metres is within the altitude band. Without a band every altitude is, also `nil`.
    public func contains(altitude: Double?) -> Bool {
        guard minAltitude != nil || maxAltitude != nil else { return true }
        guard let altitude else { return false }
        return altitude >= minAltitude ?? -.infinity && altitude <= maxAltitude ?? .infinity
    }
}

/// A pattern in which `*` matches any number of characters and `?` matches one; both also match a slash.
public struct GlobPattern: Hashable, Sendable, Codable {
    /// The text of the pattern.
    public let rawValue: String

    /// A pattern; every text is valid.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the pattern matches the whole text.
    public func matches(_ text: String) -> Bool {
        let pattern = Array(rawValue.unicodeScalars)
        let text = Array(text.unicodeScalars)
        var (p, t) = (0, 0)
        // Where to resume after a mismatch behind the last star: one scalar later.
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

    /// Reads a pattern as one string.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the pattern as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
