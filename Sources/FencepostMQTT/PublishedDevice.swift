import FencepostFormats
import FencepostGeometry
import FencepostJSON
public import FencepostModel

/// A region as subscribers know it.
public struct PublishedRegion: Hashable, Sendable {
    /// The region.
    public var id: RegionID
    /// Its name for people, or else its id; not blank.
    public var name: String
    /// Whether it is somebody's home, whatever its name.
    public var isHome: Bool
    /// Square metres, about: of regions in each other the smallest says best where a device is.
    public var area: Double

    /// What subscribers know of a region.
    public init(_ region: Region) {
        id = region.id
        let label = region.placeName
        (name, isHome) = (label.text, label.isHome)
        area = region.shape.area
    }

    /// A region of which nothing is known but its id.
    init(unknown id: RegionID) {
        (self.id, name, isHome, area) = (id, id.rawValue, false, .infinity)
    }
}

/// What is published about one device.
public struct PublishedDevice: Hashable, Sendable {
    /// The device.
    public var id: DeviceID
    /// Its name for people.
    public var name: String
    /// Its newest location; `nil` when none is known.
    public var location: Location?
    /// The regions that it is in.
    public var regions: [PublishedRegion]
    /// The current visit; `nil` for none.
    public var visit: Visit?
    /// Whether it has stopped reporting.
    public var isStale: Bool
    /// The state of its fence; `nil` without one.
    public var fence: FenceStatus.State?
    /// Whether it walks the rounds of a plan.
    public var walksRounds = false
    /// Whether a proximity rule watches it.
    public var isInPairs = false

    /// Longest state of an entity in Home Assistant, in code points.
    static let longestZone = 255

    /// A device's state.
    ///
    /// More than five parameters, because the initializer has one per property.
    public init(
        id: DeviceID, name: String, location: Location?, regions: [PublishedRegion], visit: Visit?, isStale: Bool
    ) {
        (self.id, self.name, self.location) = (id, name, location)
        (self.regions, self.visit, self.isStale) = (regions, visit, isStale)
    }

    /// Home Assistant's state of a tracker: `home`, the name of the smallest region, or `not_home`.
    public var zone: String {
        guard !regions.contains(where: \.isHome) else { return "home" }
        let smallest = regions.min { ($0.area, $0.id) < ($1.area, $1.id) }
        return smallest?.name.shortened(to: Self.longestZone) ?? "not_home"
    }

    /// The payload of the state topic. The names of position, accuracy and battery are those of Home Assistant.
    public func state() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("deviceId", id.rawValue)
        writer.put("name", name)
        writer.put("place", zone)
        writer.put("source_type", "gps")
        if let location { writer.position(location) }
        writer.name("stale")
        writer.value(isStale)
        writer.put("regions", regions.map(\.id.rawValue))
        writer.put("regionNames", regions.map(\.name))
        writer.name("visit")
        if let visit { writer.value(visit) } else { writer.null() }
        if let fence { writer.put("fence", fence.rawValue) }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    fileprivate mutating func position(_ location: Location) {
        put("timestamp", location.timestamp.rfc3339)
        put("latitude", location.coordinate.latitude)
        put("longitude", location.coordinate.longitude)
        if let accuracy = location.horizontalAccuracy { put("gps_accuracy", accuracy.rounded()) }
        if let level = location.batteryLevel { put("battery_level", (level * 100).rounded()) }
        if let speed = location.speed { put("speed", speed) }
        if let course = location.course { put("course", course) }
        if let altitude = location.altitude { put("altitude", altitude) }
        if let accuracy = location.verticalAccuracy { put("vertical_accuracy", accuracy.rounded()) }
    }

    mutating func put(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    mutating func put(_ name: String, _ number: Double) {
        self.name(name)
        value(number)
    }

    mutating func put(_ name: String, _ texts: [String]) {
        self.name(name)
        beginArray()
        for text in texts { value(text) }
        endArray()
    }
}

extension String {
    /// The text with at most a number of code points, the last of which says that something is left out.
    func shortened(to limit: Int) -> String {
        guard unicodeScalars.count > limit else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(limit - 1))) + "…"
    }
}
