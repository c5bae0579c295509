internal import FencepostGeometry
internal import FencepostJSON
internal import FencepostModel

extension JSONWriter {
    /// Writes an entry or an exit without its `why` for no app, in one piece, which most events of a stream are.
    ///
    /// The text is that of `value(_:apps:explains:)`, which writes every other event.
    ///
    /// - Returns: whether the event is of that kind; if not, nothing is written.
    mutating func crossing(_ event: Event) -> Bool {
        guard let identity = event.identity, event.earliest == nil, event.latest == nil,
            let location = event.location, location.hasOnlyMeasurements,
            let (region, type) = event.occurrence.plainCrossing
        else { return false }
        let device = event.deviceID.rawValue
        let name = region.name
        var room = 1024 + 2 * JSONCursor.room(for: device) + JSONCursor.room(for: region.id.rawValue)
        if let name { room += JSONCursor.room(for: name) }
        for tag in region.tags { room += JSONCursor.room(for: tag) + 1 }
        let time = TimeText(event.timestamp)
        value(most: room) { text in
            text.literal("{\"id\":")
            text.ascii { start in
                let prefix = Event.idPrefix
                start.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
                return prefix.utf8CodeUnitCount + identity.write(to: start + prefix.utf8CodeUnitCount)
            }
            text.literal(",\"sequence\":")
            text.integer(event.sequence)
            text.literal(type)
            text.time(time)
            text.literal(",\"detectedAt\":")
            text.time(event.detectedAt == time.timestamp ? time : TimeText(event.detectedAt))
            text.literal(",\"deviceId\":")
            text.string(device)
            text.literal(",\"region\":{\"id\":")
            text.string(region.id.rawValue)
            if let name {
                text.literal(",\"name\":")
                text.string(name)
            }
            text.literal(",\"tags\":[")
            var isFirst = true
            for tag in region.tags {
                if !isFirst { text.literal(",") }
                isFirst = false
                text.string(tag)
            }
            text.literal("]},\"location\":{\"deviceId\":")
            text.string(location.deviceID.rawValue)
            text.literal(",\"timestamp\":")
            text.time(location.timestamp == time.timestamp ? time : TimeText(location.timestamp))
            text.measurements(of: location)
            text.literal("}")
            if let confidence = event.confidence {
                text.literal(",\"confidence\":")
                text.number((confidence * 1000).rounded() / 1000)
            }
            text.literal(",\"apps\":[]}")
        }
        return true
    }
}

extension Occurrence {
    /// The region of an entry or an exit, and the JSON text between the sequence number and the time; `nil` for an exit
    /// with a reason, a region with metadata, and all others.
    fileprivate var plainCrossing: (RegionSummary, StaticString)? {
        switch self {
        case .regionEntered(let region):
            region.metadata == nil ? (region, ",\"type\":\"region.entered\",\"timestamp\":") : nil
        case .regionExited(let region, nil):
            region.metadata == nil ? (region, ",\"type\":\"region.exited\",\"timestamp\":") : nil
        case .regionExited, .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered,
            .appRelaunched, .alert, .fence, .proximity, .plan:
            nil
        }
    }
}

extension Location {
    /// Whether it has only numbers besides its device and time, and all of them are finite.
    fileprivate var hasOnlyMeasurements: Bool {
        func isWritten(_ number: Double?) -> Bool { number?.isFinite ?? true }
        return hasNoExtras && batteryState == nil && isSimulated == nil && isWritten(horizontalAccuracy)
            && isWritten(altitude) && isWritten(verticalAccuracy) && isWritten(speed) && isWritten(course)
            && isWritten(batteryLevel)
    }
}

extension JSONCursor {
    fileprivate mutating func time(_ time: TimeText) { ascii { time.write(to: $0) } }

    /// The coordinate and the known numbers of a location, each with a comma before it: at most 400 bytes.
    fileprivate mutating func measurements(of location: Location) {
        measurement(",\"latitude\":", location.coordinate.latitude)
        measurement(",\"longitude\":", location.coordinate.longitude)
        measurement(",\"horizontalAccuracy\":", location.horizontalAccuracy)
        measurement(",\"altitude\":", location.altitude)
        measurement(",\"verticalAccuracy\":", location.verticalAccuracy)
        measurement(",\"speed\":", location.speed)
        measurement(",\"course\":", location.course)
        measurement(",\"batteryLevel\":", location.batteryLevel)
    }

    @inline(__always)
    private mutating func measurement(_ key: StaticString, _ number: Double?) {
        guard let number else { return }
        literal(key)
        self.number(number)
    }
}
