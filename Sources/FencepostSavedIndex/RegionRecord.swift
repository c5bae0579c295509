import FencepostGeometry
import FencepostModel
import Foundation

/// The encoding of a region without its shape.
///
/// A word of 16 flags, then the id, then the members that differ from their defaults, in the order of the flags.
enum RegionRecord {
    /// The members that are there, and the values of those that have two or four.
    private struct Flags: OptionSet {
        let rawValue: UInt16

        static let name = Flags(rawValue: 1)
        static let tags = Flags(rawValue: 1 << 1)
        static let ignoresEntry = Flags(rawValue: 1 << 2)
        static let ignoresExit = Flags(rawValue: 1 << 3)
        static let dwells = Flags(rawValue: 1 << 4)
        static let isSilent = Flags(rawValue: 1 << 5)
        static let crossing = Flags(rawValue: 3 << 6)
        static let schedule = Flags(rawValue: 1 << 8)
        static let devices = Flags(rawValue: 1 << 9)
        static let minAltitude = Flags(rawValue: 1 << 10)
        static let maxAltitude = Flags(rawValue: 1 << 11)
        static let expires = Flags(rawValue: 1 << 12)
        static let speedLimit = Flags(rawValue: 1 << 13)
        static let metadata = Flags(rawValue: 1 << 14)
        static let others = Flags(rawValue: 1 << 15)
    }

    /// The modes by their number in the flags; 0 means no mode.
    private static let modes: [CrossingMode?] = [nil, .raw, .confirmed, .coreLocation]

    // MARK: Writing

    static func encode(_ region: Region, to bytes: inout ByteEncoder) {
        var flags: Flags = []
        func set(_ flag: Flags, if condition: Bool) { if condition { flags.insert(flag) } }
        set(.name, if: region.name != nil)
        set(.tags, if: !region.tags.isEmpty)
        set(.ignoresEntry, if: !region.notifyOnEntry)
        set(.ignoresExit, if: !region.notifyOnExit)
        set(.dwells, if: !region.dwells.isEmpty)
        set(.isSilent, if: region.initialState == .silent)
        set(.schedule, if: region.schedule != nil)
        set(.devices, if: region.devices != nil)
        set(.minAltitude, if: region.minAltitude != nil)
        set(.maxAltitude, if: region.maxAltitude != nil)
        set(.expires, if: region.expires != nil)
        set(.speedLimit, if: region.speedLimit != nil)
        set(.metadata, if: region.metadata != nil)
        set(.others, if: region.otherProperties != nil)
        let mode = UInt16(modes.firstIndex(of: region.crossing) ?? 0)
        bytes.append(fixed: flags.rawValue | mode << 6)
        bytes.append(region.id.rawValue)
        if let name = region.name { bytes.append(name) }
        if !region.tags.isEmpty { bytes.append(region.tags) { $0.append($1) } }
        if !region.dwells.isEmpty {
            bytes.append(region.dwells) { bytes, dwell in
                bytes.append(UInt64(bitPattern: dwell.components.seconds))
                bytes.append(UInt64(bitPattern: dwell.components.attoseconds))
            }
        }
        if let schedule = region.schedule { encode(schedule, to: &bytes) }
        if let devices = region.devices { bytes.append(devices) { $0.append($1.rawValue) } }
        if let altitude = region.minAltitude { bytes.append(fixed: altitude.bitPattern) }
        if let altitude = region.maxAltitude { bytes.append(fixed: altitude.bitPattern) }
        if let expires = region.expires { bytes.append(signed: expires.milliseconds) }
        if let limit = region.speedLimit {
            bytes.append(fixed: limit.value.bitPattern)
            bytes.append(limit.unit.rawValue)
        }
        if let metadata = region.metadata { bytes.append(metadata.rawValue) }
        if let others = region.otherProperties { bytes.append(others.rawValue) }
    }

    private static func encode(_ schedule: Schedule, to bytes: inout ByteEncoder) {
        bytes.append(schedule.timeZone.identifier)
        bytes.append(schedule.weekly) { bytes, opening in
            bytes.append(opening.weekdays.reduce(0) { $0 | 1 << UInt64($1) })
            bytes.append(UInt64(opening.start))
            bytes.append(UInt64(opening.end))
        }
        bytes.append(schedule.except.sorted()) { $0.append(signed: Int64($1)) }
    }

    // MARK: Reading

    /// The UTF-8 bytes of the id of a record.
    static func id(of record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var bytes = ByteDecoder(record)
        guard bytes.fixed(UInt16.self) != nil else { return nil }
        return bytes.textBytes()
    }

    /// A region with an empty shape; `nil` for bytes that are no record.
    static func decode(_ record: UnsafeRawBufferPointer) -> Region? {
        var bytes = ByteDecoder(record)
        guard let word = bytes.fixed(UInt16.self), let id = bytes.text() else { return nil }
        let flags = Flags(rawValue: word)
        var region = Region(id: RegionID(id), shape: .polygons(.init([])))
        region.notifyOnEntry = !flags.contains(.ignoresEntry)
        region.notifyOnExit = !flags.contains(.ignoresExit)
        region.initialState = flags.contains(.isSilent) ? .silent : .report
        region.crossing = modes[Int(word >> 6 & 3)]
        if flags.contains(.name) { region.name = bytes.text() }
        if flags.contains(.tags) { region.tags = bytes.list { $0.text() } }
        if flags.contains(.dwells) { region.dwells = bytes.list(dwell) }
        if flags.contains(.schedule) { region.schedule = schedule(&bytes) }
        if flags.contains(.devices) { region.devices = bytes.list { $0.text().map(GlobPattern.init) } }
        if flags.contains(.minAltitude) { region.minAltitude = altitude(&bytes) }
        if flags.contains(.maxAltitude) { region.maxAltitude = altitude(&bytes) }
        if flags.contains(.expires) {
            region.expires = bytes.signed(within: 10_000_000_000_000_000).map { Timestamp(milliseconds: $0) }
        }
        if flags.contains(.speedLimit) { region.speedLimit = speedLimit(&bytes) }
        if flags.contains(.metadata) { region.metadata = bytes.text().map { JSONText($0) } }
        if flags.contains(.others) { region.otherProperties = bytes.text().map { JSONText($0) } }
        return bytes.isAtEnd ? region : nil
    }

    private static func dwell(_ bytes: inout ByteDecoder) -> Duration? {
        guard let seconds = bytes.number(), let attoseconds = bytes.number(), seconds < 1_000_000_000_000,
            attoseconds < 1_000_000_000_000_000_000
        else { return bytes.fail() }
        return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds))
    }

    private static func altitude(_ bytes: inout ByteDecoder) -> Double? {
        guard let bits = bytes.fixed(UInt64.self), Double(bitPattern: bits).isFinite else { return bytes.fail() }
        return Double(bitPattern: bits)
    }

    private static func speedLimit(_ bytes: inout ByteDecoder) -> SpeedLimit? {
        guard let bits = bytes.fixed(UInt64.self), let unit = bytes.text().flatMap(SpeedLimit.Unit.init),
            let limit = SpeedLimit(Double(bitPattern: bits), unit)
        else { return bytes.fail() }
        return limit
    }

    private static func schedule(_ bytes: inout ByteDecoder) -> Schedule? {
        guard let zone = bytes.text().flatMap({ TimeZone(identifier: $0) }) else { return bytes.fail() }
        let weekly: [Schedule.Opening] = bytes.list { bytes in
            guard let days = bytes.number(), let start = bytes.number(), let end = bytes.number(), days < 1 << 7,
                start <= 1440, end <= 1440
            else { return bytes.fail() }
            return Schedule.Opening(
                weekdays: Set((0..<7).filter { days >> UInt64($0) & 1 == 1 }), start: Int(start), end: Int(end))
        }
        // Days since 1970 of the years that dates can have.
        let except: [Int] = bytes.list { $0.signed(within: 5_000_000).map { Int($0) } }
        return Schedule(timeZone: zone, weekly: weekly, except: Set(except))
    }
}
