import FencepostGeometry
public import FencepostJSON
public import FencepostModel
import Foundation

extension JSONWriter {
    /// Writes a region as one GeoJSON feature, which `RegionFile` reads back as an equal region.
    ///
    /// The bytes depend on the region alone: options that differ from their defaults in a fixed order, then unknown
    /// properties in their original order.
    public mutating func value(_ region: Region) {
        beginObject()
        name("type")
        value("Feature")
        name("id")
        value(region.id.rawValue)
        name("geometry")
        geometry(region.shape)
        name("properties")
        beginObject()
        properties(of: region)
        endObject()
        endObject()
    }

    /// Writes a collection of GeoJSON features, each by `write`.
    public mutating func featureCollection<Features: Sequence>(
        of features: Features, _ write: (inout JSONWriter, Features.Element) -> Void
    ) {
        beginObject()
        name("type")
        value("FeatureCollection")
        name("features")
        beginArray()
        for feature in features { write(&self, feature) }
        endArray()
        endObject()
    }

    /// The geometry with the length that it needs, which `DerivedID` is made of.
    mutating func value(geometryOf shape: Shape) {
        geometry(shape)
        switch shape {
        case .circle(let circle): value(circle.radius)
        case .corridor(let corridor): value(corridor.width)
        case .polygons: break
        }
    }

    private mutating func geometry(_ shape: Shape) {
        beginObject()
        name("type")
        switch shape {
        case .circle(let circle):
            value("Point")
            name("coordinates")
            position(circle.center)
        case .corridor(let corridor) where corridor.lines.count == 1:
            value("LineString")
            name("coordinates")
            array(corridor.lines[0]) { $0.position($1) }
        case .corridor(let corridor):
            value("MultiLineString")
            name("coordinates")
            array(corridor.lines) { $0.array($1) { $0.position($1) } }
        case .polygons(let shape) where shape.polygons.count == 1:
            value("Polygon")
            name("coordinates")
            rings(of: shape.polygons[0])
        case .polygons(let shape):
            value("MultiPolygon")
            name("coordinates")
            array(shape.polygons) { $0.rings(of: $1) }
        }
        endObject()
    }

    private mutating func rings(of polygon: Polygon) {
        array(polygon.rings) { $0.array($1.coordinates) { $0.position($1) } }
    }

    private mutating func position(_ coordinate: Coordinate) {
        beginArray()
        value(coordinate.longitude)
        value(coordinate.latitude)
        endArray()
    }

    private mutating func properties(of region: Region) {
        var used: String?
        switch region.shape {
        case .circle(let circle):
            used = "radius"
            member("radius", circle.radius)
        case .corridor(let corridor):
            used = "width"
            member("width", corridor.width)
        case .polygons: break
        }
        if let text = region.name {
            name("name")
            value(text)
        }
        if !region.tags.isEmpty {
            name("tags")
            array(region.tags) { $0.value($1) }
        }
        if !region.notifyOnEntry {
            name("notifyOnEntry")
            value(false)
        }
        if !region.notifyOnExit {
            name("notifyOnExit")
            value(false)
        }
        if !region.dwells.isEmpty {
            name("dwell")
            if region.dwells.count == 1 {
                value(region.dwells[0].seconds)
            } else {
                array(region.dwells) { $0.value($1.seconds) }
            }
        }
        if region.initialState != .report {
            name("initialState")
            value(region.initialState.rawValue)
        }
        if let crossing = region.crossing {
            name("crossing")
            value(crossing.rawValue)
        }
        if let schedule = region.schedule {
            name("schedule")
            value(schedule)
        }
        if let devices = region.devices {
            name("devices")
            array(devices) { $0.value($1.rawValue) }
        }
        member("minAltitude", region.minAltitude)
        member("maxAltitude", region.maxAltitude)
        if let limit = region.speedLimit {
            name("speedLimit")
            if limit.unit == .kilometresPerHour { value(limit.value) } else { value(limit.description) }
        }
        if let expires = region.expires {
            name("expires")
            value(expires: expires)
        }
        if let metadata = region.metadata {
            name("metadata")
            raw(metadata.rawValue)
        }
        others(region.otherProperties, used: used)
    }

    /// Unknown properties, including a radius or width that the geometry does not use.
    private mutating func others(_ properties: JSONText?, used: String?) {
        guard let properties, let document = try? JSONDocument(parsing: properties.rawValue) else { return }
        for member in document.root.members where member.name != "id" && member.name != used {
            guard !PropertyReader.names.contains(member.name) || PropertyReader.lengths.contains(member.name) else {
                continue
            }
            name(member.name)
            value(member.value)
        }
    }

    /// Writes a schedule in the notation of region files.
    public mutating func value(_ schedule: Schedule) {
        beginObject()
        name("timeZone")
        value(schedule.timeZone.identifier)
        name("weekly")
        array(schedule.weekly) { $0.value($1.text) }
        if !schedule.except.isEmpty {
            name("except")
            array(schedule.except.sorted()) { writer, day in
                let midnight = Timestamp(milliseconds: Int64(day) * 86_400_000)
                writer.value(String(midnight.rfc3339.prefix(10)))
            }
        }
        endObject()
    }

    /// RFC 3339, which has years of four digits; outside them milliseconds since 1970.
    private mutating func value(expires time: Timestamp) {
        let years = Timestamp.days(year: 0, month: 1, day: 1)..<Timestamp.days(year: 10_000, month: 1, day: 1)
        let milliseconds = years.lowerBound * 86_400_000..<years.upperBound * 86_400_000
        if milliseconds.contains(Int(time.milliseconds)) {
            value(time.rfc3339)
        } else {
            value(time.milliseconds)
        }
    }

    private mutating func member(_ name: String, _ number: Double?) {
        guard let number else { return }
        self.name(name)
        value(number)
    }

    private mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}

extension Schedule.Opening {
    /// The notation that files use: `Mon-Fri 09:00-18:00`, `Sat,Sun 10:00-14:00`, `22:00-06:00` for every day.
    var text: String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let hours = "\(Self.clock(start))-\(Self.clock(end))"
        guard weekdays.count < 7 else { return hours }
        var spans: [ClosedRange<Int>] = []
        for day in weekdays.sorted() {
            if let last = spans.last, last.upperBound == day - 1 {
                spans[spans.count - 1] = last.lowerBound...day
            } else {
                spans.append(day...day)
            }
        }
        let days = spans.map { span in
            span.count == 1 ? names[span.lowerBound] : "\(names[span.lowerBound])-\(names[span.upperBound])"
        }
        return "\(days.joined(separator: ",")) \(hours)"
    }

    private static func clock(_ minutes: Int) -> String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minutes / 60)):\(digits(minutes % 60))"
    }
}
