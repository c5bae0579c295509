import FencepostGeometry
import FencepostModel
import Foundation

/// A line of NDJSON decoded by Foundation alone; `nil` if it must be rejected.
struct ReferenceFix {
    var location: Location

    init?(line: [UInt8]) {
        // Foundation accepts a comma before a closing bracket; RFC 8259 does not.
        if String(decoding: line, as: UTF8.self).contains(#/,\s*[\]}]/#) { return nil }
        guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else { return nil }
        func value(_ names: String...) -> Any? {
            names.lazy.compactMap { name in object[name].flatMap { $0 is NSNull ? nil : $0 } }.first
        }
        func isNumber(_ value: Any) -> Bool {
            // On Linux a Bool and a number differ in type.
            value is NSNumber && !(value is Bool && "\(type(of: value))".contains("Bool"))
        }
        var isGood = true
        func number(_ value: Any?) -> Double? {
            guard let value else { return nil }
            guard isNumber(value), let number = value as? NSNumber else {
                isGood = false
                return nil
            }
            return number.doubleValue
        }
        guard let latitude = number(value("latitude", "lat")), let longitude = number(value("longitude", "lon", "lng")),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        let accuracy = number(value("horizontalAccuracy", "accuracy", "acc"))
        if let accuracy, accuracy < 0 { return nil }
        guard let time = value("timestamp", "time", "tst", "t").flatMap({ ReferenceFix.milliseconds($0) }),
            (946_684_800_000...Reading.now.milliseconds + 86_400_000).contains(time)
        else { return nil }
        var name = "default"
        if let device = value("deviceId", "device", "device_id", "tid") {
            guard let text = device as? String, !text.isEmpty, text.count <= 128,
                text.rangeOfCharacter(from: CharacterSet(charactersIn: "\u{0}"..."\u{1F}")) == nil,
                text.rangeOfCharacter(from: CharacterSet(charactersIn: "\u{7F}"..."\u{9F}")) == nil
            else { return nil }
            name = text.precomposedStringWithCanonicalMapping
        }
        location = Location(
            deviceID: DeviceID(name), timestamp: Timestamp(milliseconds: time),
            coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: accuracy)
        func known(_ name: String, _ range: ClosedRange<Double>) -> Double? {
            number(value(name)).flatMap { range.contains($0) ? $0 : nil }
        }
        location.altitude = number(value("altitude"))
        location.verticalAccuracy = known("verticalAccuracy", 0...Double.greatestFiniteMagnitude)
        location.speed = known("speed", 0...Double.greatestFiniteMagnitude)
        location.course = known("course", 0...360).map { $0 == 360 ? 0 : $0 }
        location.batteryLevel = known("batteryLevel", 0...1)
        if !isGood { return nil }
    }

    private static func milliseconds(_ value: Any) -> Int64? {
        if let text = value as? String { return milliseconds(text) }
        guard let number = value as? NSNumber else { return nil }
        let double = number.doubleValue
        let milliseconds = (double >= 1e11 ? double : double * 1000).rounded()
        return abs(milliseconds) < 1e15 ? Int64(milliseconds) : nil
    }

    private static func milliseconds(_ text: String) -> Int64? {
        // Foundation's parsers also accept hours, months and offsets of one digit or three.
        let grammar =
            #/
            ([0-9]{4}) - ([0-9]{2}) - ([0-9]{2}) [Tt\ ] ([0-9]{2}) : ([0-9]{2}) (?: : ([0-9]{2}) (?: [.,] ([0-9]+) )? )?
            (?: [Zz] | ([+\-]) ([0-9]{2}) (?: :? ([0-9]{2}) )? )
            /#
        guard let match = try? grammar.wholeMatch(in: text)?.output else { return nil }
        func int(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(
            calendar: calendar, year: int(match.1), month: int(match.2), day: int(match.3), hour: int(match.4),
            minute: int(match.5))
        guard components.isValidDate(in: calendar), let date = components.date, int(match.6) <= 60,
            int(match.9) < 24, int(match.10) < 60
        else { return nil }
        let offset = (int(match.9) * 60 + int(match.10)) * (match.8 == "-" ? -1 : 1)
        let seconds = Int64(date.timeIntervalSince1970) + Int64(int(match.6) - offset * 60)
        return seconds * 1000 + Int64(int(((match.7 ?? "") + "00").prefix(3)))
    }
}
