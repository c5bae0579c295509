import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService
import FencepostTesting

/// Values out of random numbers, with every optional field now there and now not.
struct MadeUp {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    static let start = Timestamp(seconds: 1_772_000_000)

    mutating func chance(_ share: Double = 0.5) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    mutating func number(in range: ClosedRange<Double>) -> Double? {
        guard chance() else { return nil }
        let number = Double.random(in: range, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return number.rounded()
        case 1: return (number * 10).rounded() / 10
        case 2: return Double(Float(number))
        default: return number
        }
    }

    mutating func coordinate() -> Coordinate {
        let (latitude, longitude) = (
            Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random)
        )
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Coordinate(latitude: latitude, longitude: longitude)
        case 1: return Coordinate(latitude: -0.0, longitude: 180)
        case 2: return Coordinate(latitude: latitude.rounded(), longitude: longitude.rounded())
        default:
            return Coordinate(latitude: (latitude * 1e6).rounded() / 1e6, longitude: (longitude * 1e7).rounded() / 1e7)
        }
    }

    mutating func location(_ devices: [String], within milliseconds: Int64 = 1_000_000) -> StoredLocation {
        var fix = Location(
            deviceID: DeviceID(devices.randomElement(using: &random) ?? "none"),
            timestamp: Timestamp(
                milliseconds: Self.start.milliseconds + Int64.random(in: 0..<milliseconds, using: &random)),
            coordinate: coordinate())
        fix.horizontalAccuracy = number(in: 0...500)
        fix.altitude = number(in: -400...9000)
        fix.verticalAccuracy = number(in: 0...50)
        fix.speed = number(in: 0...80)
        fix.course = number(in: 0...359)
        if chance() { fix.floor = Int.random(in: -3...100, using: &random) }
        fix.batteryLevel = number(in: 0...1)
        if chance() { fix.batteryState = Location.BatteryState.allCases.randomElement(using: &random) }
        if chance() { fix.isSimulated = chance() }
        if chance() { fix.source = ["owntracks", "overland", ""].randomElement(using: &random) }
        if chance() { fix.trigger = ["u", "p", "naïve ✓"].randomElement(using: &random) }
        return StoredLocation(fix, isLate: chance(0.1))
    }
}

extension StoredLocation {
    /// A fix of a few words.
    static func at(
        _ device: String, _ seconds: Int64, latitude: Double = 48, longitude: Double = 2, isLate: Bool = false
    ) -> StoredLocation {
        StoredLocation(
            Location(
                deviceID: DeviceID(device), timestamp: MadeUp.start + .seconds(seconds),
                coordinate: Coordinate(latitude: latitude, longitude: longitude)),
            isLate: isLate)
    }
}

extension Commit {
    /// A commit that came so many seconds after the start.
    static func of(_ position: LogPosition, at seconds: Int64 = 0, _ locations: [StoredLocation] = []) -> Commit {
        var commit = Commit(position: position, receivedAt: MadeUp.start + .seconds(seconds))
        commit.locations = locations
        return commit
    }
}

extension NewEvent {
    static func made(
        _ id: String, _ type: String = "region.entered", device: String? = "jane", region: String? = "office",
        at seconds: Int64 = 0, sequence: Int = 1
    ) -> NewEvent {
        NewEvent(
            id: id, type: type, deviceID: device.map { DeviceID($0) }, regionID: region.map { RegionID($0) },
            timestamp: MadeUp.start + .seconds(seconds),
            body: "{\"id\":\"\(id)\",\"sequence\":\(sequence),\"type\":\"\(type)\"}")
    }
}

extension NewDelivery {
    static func made(
        _ event: String, to endpoint: String = "ops", device: String? = "jane", isOrdered: Bool = false
    ) -> NewDelivery {
        NewDelivery(
            endpointID: endpoint, eventID: event, deviceID: device.map { DeviceID($0) },
            body: "{\"type\":\"region.entered\",\"data\":{\"eventId\":\"\(event)\"}}",
            headers: ["content-type": "application/json"], isOrdered: isOrdered)
    }
}

extension Endpoint {
    static func made(_ id: String = "ops") -> Endpoint {
        Endpoint(
            id: id, url: "https://example.org/\(id)", secrets: [Secret("whsec_x")], createdAt: MadeUp.start)
    }
}
