import FencepostGeometry
import FencepostModel
import FencepostService
import Foundation

/// The flags at the start of a record; the common ones fit into one byte.
struct FixFlags: OptionSet {
    let rawValue: UInt64

    static let sameDevice = FixFlags(rawValue: 1 << 0)
    static let horizontalAccuracy = FixFlags(rawValue: 1 << 1)
    static let altitude = FixFlags(rawValue: 1 << 2)
    static let verticalAccuracy = FixFlags(rawValue: 1 << 3)
    static let speed = FixFlags(rawValue: 1 << 4)
    static let course = FixFlags(rawValue: 1 << 5)
    static let source = FixFlags(rawValue: 1 << 6)
    static let batteryLevel = FixFlags(rawValue: 1 << 7)
    static let batteryState = FixFlags(rawValue: 1 << 8)
    static let trigger = FixFlags(rawValue: 1 << 9)
    static let late = FixFlags(rawValue: 1 << 10)
    static let laterArrival = FixFlags(rawValue: 1 << 11)
    static let fullCoordinate = FixFlags(rawValue: 1 << 12)
    /// Earlier versions set it for a speed of -1. It is read and ignored: such a fix has no speed (rule V2).
    static let speedUnknown = FixFlags(rawValue: 1 << 13)
    static let floor = FixFlags(rawValue: 1 << 14)
    static let simulated = FixFlags(rawValue: 1 << 15)
    static let notSimulated = FixFlags(rawValue: 1 << 16)
    static let ahead = FixFlags(rawValue: 1 << 17)
    static let all = FixFlags(rawValue: (1 << 18) - 1)
}

/// The previous fix of a device, against which the next one is encoded.
struct FixTrace {
    var timestamp: Int64 = 0
    /// In units of `FixEncoder.degree`.
    var latitude: Int64 = 0
    var longitude: Int64 = 0
}

/// Encodes fixes without loss, in about 12 to 25 bytes each.
///
/// Devices and short texts are written once; times and coordinates as differences to the device's previous fix. A number
/// with few decimals is written as a scaled integer, any other with all its eight bytes.
struct FixEncoder {
    static let version: UInt8 = 1
    /// Scale of coordinates: phones send seven decimals, about a centimetre.
    static let degree = 1e7
    /// Scale of accuracies, speeds and fractions: three decimals.
    static let decimals = 1e3

    /// The devices in the order of their first fixes; stored separately from the bytes.
    var devices: [DeviceID] { numbers.devices }
    private var writer: ByteWriter
    private var numbers: DeviceNumbers
    private var traces: [FixTrace] = []
    private var texts: [String: Int] = [:]
    private var device = -1
    private var receivedAt: Int64

    /// - Parameters:
    ///   - receivedAt: arrival time of the first fixes.
    ///   - capacity: expected number of fixes.
    ///   - devices: expected number of devices.
    init(receivedAt: Timestamp, capacity: Int, devices: Int = 1) {
        writer = ByteWriter(capacity: capacity * 24 + 16)
        numbers = DeviceNumbers(capacity: devices)
        traces.reserveCapacity(devices)
        self.receivedAt = receivedAt.milliseconds
        writer.append(byte: Self.version)
        writer.append(signed: self.receivedAt)
    }

    var bytes: [UInt8] { writer.bytes }
    var data: Data { writer.withBytes { Data($0) } }

    /// - Precondition: the coordinate is finite.
    mutating func append(_ stored: StoredLocation, receivedAt: Timestamp) {
        let fix = stored.location
        precondition(fix.coordinate.latitude.isFinite && fix.coordinate.longitude.isFinite, "a fix is somewhere")
        let number = numbers.number(of: fix.deviceID)
        if number == traces.count { traces.append(FixTrace()) }
        let isSame = number == device
        device = number
        let scaled = (fix.coordinate.latitude.scaled(Self.degree), fix.coordinate.longitude.scaled(Self.degree))

        var flags = Self.flags(of: stored)
        if isSame { flags.insert(.sameDevice) }
        if receivedAt.milliseconds != self.receivedAt { flags.insert(.laterArrival) }
        if scaled.0 == nil || scaled.1 == nil { flags.insert(.fullCoordinate) }
        let trace = traces[device]
        let (moment, before) = (receivedAt.milliseconds, self.receivedAt)
        // At most three bytes of flags and ten per number.
        writer.withReserved(128) { reserved in
            reserved.append(flags.rawValue)
            if !isSame { reserved.append(UInt64(number)) }
            if flags.contains(.laterArrival) { reserved.append(signed: moment &- before) }
            reserved.append(signed: fix.timestamp.milliseconds &- trace.timestamp)
            if let latitude = scaled.0, let longitude = scaled.1 {
                reserved.append(signed: latitude &- trace.latitude)
                reserved.append(signed: longitude &- trace.longitude)
            } else {
                reserved.append(bits: fix.coordinate.latitude)
                reserved.append(bits: fix.coordinate.longitude)
            }
            reserved.append(decimal: fix.horizontalAccuracy)
            reserved.append(decimal: fix.altitude)
            reserved.append(decimal: fix.verticalAccuracy)
            reserved.append(decimal: fix.speed)
            reserved.append(decimal: fix.course)
        }
        self.receivedAt = moment
        traces[device].timestamp = fix.timestamp.milliseconds
        if let latitude = scaled.0, let longitude = scaled.1 {
            (traces[device].latitude, traces[device].longitude) = (latitude, longitude)
        }
        if let source = fix.source { append(text: source) }
        if flags.contains(.batteryLevel) { writer.append(decimal: fix.batteryLevel) }
        if let state = fix.batteryState { writer.append(byte: state.code) }
        if let trigger = fix.trigger { append(text: trigger) }
        if let floor = fix.floor { writer.append(signed: Int64(floor)) }
    }

    static func flags(of stored: StoredLocation) -> FixFlags {
        let fix = stored.location
        var flags: FixFlags = []
        if fix.horizontalAccuracy?.isFinite == true { flags.insert(.horizontalAccuracy) }
        if fix.altitude?.isFinite == true { flags.insert(.altitude) }
        if fix.verticalAccuracy?.isFinite == true { flags.insert(.verticalAccuracy) }
        if fix.speed?.isFinite == true { flags.insert(.speed) }
        if fix.course?.isFinite == true { flags.insert(.course) }
        if fix.source != nil { flags.insert(.source) }
        if fix.batteryLevel?.isFinite == true { flags.insert(.batteryLevel) }
        if fix.batteryState != nil { flags.insert(.batteryState) }
        if fix.trigger != nil { flags.insert(.trigger) }
        if fix.floor != nil { flags.insert(.floor) }
        if let isSimulated = fix.isSimulated { flags.insert(isSimulated ? .simulated : .notSimulated) }
        if stored.isLate { flags.insert(.late) }
        if stored.isAhead { flags.insert(.ahead) }
        return flags
    }

    /// A known text is written as its number, from 1; a new one as a zero and the text.
    private mutating func append(text: String) {
        if let number = texts[text] {
            writer.append(UInt64(number))
        } else {
            texts[text] = texts.count + 1
            writer.append(byte: 0)
            writer.append(text: text)
        }
    }
}

extension ReservedBytes {
    /// Appends a number of few decimals as an integer, and any other with all its bytes: the lowest bit selects the form. A number
    /// that is not finite is omitted.
    mutating func append(decimal number: Double?) {
        guard let number, number.isFinite else { return }
        if let whole = number.scaled(FixEncoder.decimals) {
            append(UInt64(bitPattern: (whole << 1) ^ (whole >> 63)) << 1)
        } else {
            append(byte: 1)
            append(bits: number)
        }
    }
}

extension ByteWriter {
    /// As that of `ReservedBytes`.
    mutating func append(decimal number: Double?) { withReserved(16) { $0.append(decimal: number) } }
}

extension Double {
    /// The integer that gives exactly this number when divided by the scale; `nil` when there is none.
    func scaled(_ scale: Double) -> Int64? {
        let number = self * scale
        // Larger numbers leave no bit for the form. No field has such values.
        guard number.magnitude < 0x1p52 else { return nil }
        let whole = Int64(number + (number < 0 ? -0.5 : 0.5))  // total: NaN fails the comparison above
        return (Double(whole) / scale).bitPattern == bitPattern ? whole : nil
    }
}

extension Location.BatteryState {
    fileprivate static let codes: [Location.BatteryState] = [.unknown, .unplugged, .charging, .full]

    /// The code in stored bytes.
    var code: UInt8 {
        switch self {
        case .unknown: 0
        case .unplugged: 1
        case .charging: 2
        case .full: 3
        }
    }

    init(code: UInt8) throws(CodecError) {
        guard Int(code) < Self.codes.count else { throw CodecError("a battery state is not known") }
        self = Self.codes[Int(code)]
    }
}

/// Numbers devices from 0, in the order of their first occurrence.
struct DeviceNumbers {
    private(set) var devices: [DeviceID] = []
    /// Open addressing by fingerprint; a slot is a number plus one, 0 for an empty slot.
    private var slots: [Int32]

    /// - Parameter capacity: expected number of devices.
    init(capacity: Int = 1) {
        var count = 8
        while count < capacity * 2 { count *= 2 }
        slots = [Int32](repeating: 0, count: count)
        devices.reserveCapacity(capacity)
    }

    mutating func number(of id: DeviceID) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: id.fingerprint) & mask
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if devices[number] == id { return number }
            slot = (slot + 1) & mask
        }
        devices.append(id)
        slots[slot] = Int32(devices.count)
        // A load of at most one half keeps probes short.
        if devices.count * 2 > slots.count { grow() }
        return devices.count - 1
    }

    private mutating func grow() {
        let mask = slots.count * 4 - 1
        slots = Array(repeating: 0, count: mask + 1)
        for (number, id) in devices.enumerated() {
            var slot = Int(truncatingIfNeeded: id.fingerprint) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(number + 1)
        }
    }
}

/// Encodes a list of devices.
enum DeviceList {
    static func encode(_ devices: [DeviceID]) -> Data {
        var writer = ByteWriter(capacity: devices.count * 16)
        for device in devices { writer.append(text: device.rawValue) }
        return writer.withBytes { Data($0) }
    }

    static func decode(_ bytes: [UInt8]) throws(CodecError) -> [DeviceID] {
        var reader = ByteReader(bytes)
        var devices: [DeviceID] = []
        while !reader.isAtEnd { devices.append(DeviceID(try reader.text())) }
        return devices
    }
}
