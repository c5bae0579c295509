import FencepostFormats
import FencepostGeometry
public import FencepostJSON
public import FencepostModel
public import Foundation

extension JSONWriter {
    /// Writes a trip: an object with the members of `GET /v1/trips`.
    ///
    /// - Parameters:
    ///   - trip: the trip.
    ///   - endMembers: writes further members of the objects `start` and `end`.
    public mutating func value(
        _ trip: Trip, endMembers: (inout JSONWriter, Trip.End) -> Void = { _, _ in }
    ) {
        beginObject()
        members(of: trip, endMembers)
        legs(of: trip, withLines: true)
        line(trip.line)
        endObject()
    }

    /// Writes a trip as a GeoJSON feature with a LineString.
    public mutating func feature(_ trip: Trip) {
        beginObject()
        name("type")
        value("Feature")
        name("id")
        value(trip.id)
        name("geometry")
        beginObject()
        name("type")
        value("LineString")
        name("coordinates")
        beginArray()
        // A line needs two positions.
        for coordinate in trip.line.count > 1 ? trip.line : [trip.start.coordinate, trip.end.coordinate] {
            position(coordinate)
        }
        endArray()
        endObject()
        name("properties")
        beginObject()
        members(of: trip) { _, _ in }
        legs(of: trip, withLines: false)
        endObject()
        endObject()
    }

    private mutating func legs(of trip: Trip, withLines: Bool) {
        name("legs")
        beginArray()
        for leg in trip.legs {
            beginObject()
            for (name, time) in [("start", leg.start), ("end", leg.end)] {
                self.name(name)
                beginObject()
                self.name("time")
                value(time.rfc3339)
                endObject()
            }
            mode(leg.mode, leg.modeConfidence)
            name("distance")
            value(leg.distance.rounded())
            name("duration")
            value(leg.seconds.rounded())
            if withLines { line(leg.line) }
            endObject()
        }
        endArray()
    }

    private mutating func line(_ line: [Coordinate]) {
        name("line")
        beginArray()
        for coordinate in line { position(coordinate) }
        endArray()
    }

    private mutating func mode(_ mode: TravelMode, _ confidence: Double) {
        name("mode")
        value(mode.rawValue)
        name("modeConfidence")
        value((confidence * 100).rounded() / 100)
    }

    private mutating func members(of trip: Trip, _ endMembers: (inout JSONWriter, Trip.End) -> Void) {
        name("id")
        value(trip.id)
        name("deviceId")
        value(trip.deviceID.rawValue)
        end("start", trip.start, endMembers)
        end("end", trip.end, endMembers)
        for (name, number, digits) in [
            ("distance", trip.distance, 1.0), ("duration", trip.seconds, 1), ("movingTime", trip.movingSeconds, 1),
            ("unknownTime", trip.unknownSeconds, 1), ("topSpeed", trip.topSpeed, 10),
        ] {
            self.name(name)
            value((number * digits).rounded() / digits)
        }
        mode(trip.mode, trip.modeConfidence)
        name("locations")
        value(trip.locations)
    }

    private mutating func end(
        _ name: String, _ end: Trip.End, _ endMembers: (inout JSONWriter, Trip.End) -> Void
    ) {
        self.name(name)
        beginObject()
        self.name("time")
        value(end.time.rfc3339)
        self.name("latitude")
        value((end.coordinate.latitude * 1e6).rounded() / 1e6)
        self.name("longitude")
        value((end.coordinate.longitude * 1e6).rounded() / 1e6)
        self.name("visitId")
        if let visit = end.visitID { value(visit) } else { null() }
        self.name("regions")
        beginArray()
        for region in end.regions { value(region.rawValue) }
        endArray()
        endMembers(&self, end)
        endObject()
    }

    private mutating func position(_ coordinate: Coordinate) {
        beginArray()
        // A tenth of a metre.
        value((coordinate.longitude * 1e6).rounded() / 1e6)
        value((coordinate.latitude * 1e6).rounded() / 1e6)
        endArray()
    }

    /// Writes a summary: an object with the members of `GET /v1/summaries`.
    public mutating func value(_ summary: Summary) {
        beginObject()
        name("by")
        value(summary.grouping.rawValue)
        name("period")
        value(summary.period.rawValue)
        name("timeZone")
        value(summary.timeZone)
        name("dayStartsAt")
        value(summary.dayStart.text)
        name("data")
        beginArray()
        for row in summary.rows {
            beginObject()
            name(summary.grouping.member)
            value(row.group)
            name("date")
            value(row.date)
            name("from")
            value(row.period.start.rfc3339)
            name("to")
            value(row.period.end.rfc3339)
            name("secondsInside")
            value(row.insideSeconds.rounded())
            name("visits")
            value(row.visits)
            name("trips")
            value(row.trips)
            name("distance")
            value(row.distance.rounded())
            name("movingTime")
            value(row.movingSeconds.rounded())
            for (name, seconds) in [("secondsKnown", row.knownSeconds), ("secondsUnknown", row.unknownSeconds)] {
                guard let seconds = seconds ?? (row.knownSeconds ?? row.unknownSeconds).map({ _ in 0 }) else {
                    continue
                }
                self.name(name)
                value(seconds.rounded())
            }
            endObject()
        }
        endArray()
        endObject()
    }

    /// Writes the time in regions, the visits and the unknown time of a period, as the page draws them.
    ///
    /// `period`: stays are cut to it.
    /// `timeZone`: of the hours of the week.
    /// `visitMembers`: writes further members of the object of a visit.
    public mutating func value(
        _ timeline: DeviceTimeline, in period: TimeSpan, timeZone: TimeZone,
        visitMembers: (inout JSONWriter, Visit) -> Void = { _, _ in }
    ) {
        beginObject()
        name("deviceId")
        value(timeline.device.rawValue)
        name("from")
        value(period.start.rfc3339)
        name("to")
        value(period.end.rfc3339)
        name("stays")
        beginArray()
        for stay in timeline.stays {
            guard let span = stay.span.clipped(to: period) else { continue }
            beginObject()
            name("regionId")
            value(stay.region.rawValue)
            members(of: span, whole: stay.span)
            name("isOpen")
            value(stay.isOpen)
            endObject()
        }
        endArray()
        name("visits")
        beginArray()
        for stay in timeline.visits {
            guard let span = stay.span.clipped(to: period) else { continue }
            beginObject()
            name("visit")
            value(stay.visit)
            members(of: span, whole: stay.span)
            visitMembers(&self, stay.visit)
            endObject()
        }
        endArray()
        name("unknown")
        beginArray()
        let unknown = timeline.unknown(in: period)
        for span in unknown {
            beginObject()
            name("kind")
            value("unknown")
            members(of: span, whole: nil)
            endObject()
        }
        endArray()
        name("secondsKnown")
        value(period.seconds - unknown.seconds)
        name("secondsUnknown")
        value(unknown.seconds)
        name("timeZone")
        value(timeZone.identifier)
        name("hours")
        beginArray()
        let inside = timeline.anyRegion.compactMap { $0.clipped(to: period) }
        for hour in TypicalHours.distribution(of: inside, in: timeZone) { value(hour.rounded()) }
        endArray()
        endObject()
    }

    private mutating func members(of span: TimeSpan, whole: TimeSpan?) {
        name("from")
        value(span.start.rfc3339)
        name("to")
        value(span.end.rfc3339)
        name("seconds")
        value(span.seconds)
        guard let whole else { return }
        name("beginsBefore")
        value(whole.start < span.start)
        name("endsAfter")
        value(whole.end > span.end)
    }

    /// Writes a suggested place without the closing brace of its object, so that a caller can add members.
    public mutating func beginObject(_ place: SuggestedPlace) {
        beginObject()
        name("id")
        value(place.id)
        name("latitude")
        value(place.center.latitude)
        name("longitude")
        value(place.center.longitude)
        name("radius")
        value(place.radius)
        name("visits")
        value(place.visits)
        name("seconds")
        value(place.seconds.rounded())
        name("first")
        value(place.first.rfc3339)
        name("last")
        value(place.last.rfc3339)
        name("typicalHours")
        value(place.typicalHours)
        name("hours")
        beginArray()
        for hour in place.hours { value(hour.rounded()) }
        endArray()
        name("devices")
        beginArray()
        for device in place.devices { value(device.rawValue) }
        endArray()
        name("regions")
        beginArray()
        for region in place.regions { value(region.rawValue) }
        endArray()
    }
}

extension SummaryGrouping {
    /// The member and the column with the group.
    public var member: String {
        switch self {
        case .device: "deviceId"
        case .region: "regionId"
        case .tag: "tag"
        case .group: "group"
        }
    }
}
