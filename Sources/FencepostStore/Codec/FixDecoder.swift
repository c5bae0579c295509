import FencepostGeometry
import FencepostModel
import FencepostService

/// Decodes the bytes of a `FixEncoder`, one fix at a time.
struct FixDecoder {
    private let devices: [DeviceID]
    private var reader: ByteReader
    private var traces: [FixTrace]
    private var texts: [String] = []
    /// Index of the last fix's device in the list; -1 before the first fix.
    private(set) var device = -1
    private var receivedAt: Int64

    /// A decoder before the first fix; `devices` is the encoder's list.
    init(_ bytes: [UInt8], devices: [DeviceID]) throws(CodecError) {
        self.devices = devices
        reader = ByteReader(bytes)
        traces = Array(repeating: FixTrace(), count: devices.count)
        let version = try reader.byte()
        guard version == FixEncoder.version else { throw CodecError("they are of version \(version)") }
        receivedAt = try reader.signed()
    }

    /// All fixes.
    static func all(_ bytes: [UInt8], devices: [DeviceID]) throws(CodecError) -> [ArchivedFix] {
        var decoder = try FixDecoder(bytes, devices: devices)
        var fixes: [ArchivedFix] = []
        while let fix = try decoder.next() { fixes.append(fix) }
        return fixes
    }

    /// The next fix; `nil` after the last.
    mutating func next() throws(CodecError) -> ArchivedFix? {
        guard !reader.isAtEnd else { return nil }
        let flags = FixFlags(rawValue: try reader.number())
        guard FixFlags.all.isSuperset(of: flags) else { throw CodecError("a flag is not known") }
        if !flags.contains(.sameDevice) {
            let number = try reader.number()
            guard number < UInt64(devices.count) else { throw CodecError("a device is not in the list") }
            device = Int(number)
        }
        guard device >= 0 else { throw CodecError("the first fix has no device") }
        if flags.contains(.laterArrival) { receivedAt &+= try reader.signed() }

        traces[device].timestamp &+= try reader.signed()
        let coordinate: Coordinate
        if flags.contains(.fullCoordinate) {
            coordinate = Coordinate(latitude: try reader.double(), longitude: try reader.double())
        } else {
            traces[device].latitude &+= try reader.signed()
            traces[device].longitude &+= try reader.signed()
            coordinate = Coordinate(
                latitude: Double(traces[device].latitude) / FixEncoder.degree,
                longitude: Double(traces[device].longitude) / FixEncoder.degree)
        }
        var fix = Location(
            deviceID: devices[device], timestamp: Timestamp(milliseconds: traces[device].timestamp),
            coordinate: coordinate)
        fix.horizontalAccuracy = try number(if: flags.contains(.horizontalAccuracy))
        fix.altitude = try number(if: flags.contains(.altitude))
        fix.verticalAccuracy = try number(if: flags.contains(.verticalAccuracy))
        fix.speed = try number(if: flags.contains(.speed))
        fix.course = try number(if: flags.contains(.course))
        if flags.contains(.source) { fix.source = try text() }
        fix.batteryLevel = try number(if: flags.contains(.batteryLevel))
        if flags.contains(.batteryState) { fix.batteryState = try Location.BatteryState(code: try reader.byte()) }
        if flags.contains(.trigger) { fix.trigger = try text() }
        if flags.contains(.floor) { fix.floor = Int(try reader.signed()) }
        if flags.contains(.simulated) { fix.isSimulated = true }
        if flags.contains(.notSimulated) { fix.isSimulated = false }
        return ArchivedFix(
            stored: StoredLocation(fix, isLate: flags.contains(.late), isAhead: flags.contains(.ahead)),
            receivedAt: Timestamp(milliseconds: receivedAt))
    }

    private mutating func number(if isThere: Bool) throws(CodecError) -> Double? {
        isThere ? try reader.decimal() : nil
    }

    private mutating func text() throws(CodecError) -> String {
        let number = try reader.number()
        if number == 0 {
            texts.append(try reader.text())
            return texts[texts.count - 1]
        }
        guard number <= UInt64(texts.count) else { throw CodecError("a text is not in the list") }
        return texts[Int(number) - 1]
    }
}

extension ByteReader {
    /// A number of `ByteWriter.append(decimal:)`.
    mutating func decimal() throws(CodecError) -> Double {
        let bits = try number()
        guard bits & 1 == 0 else { return try double() }
        let whole = Int64(bitPattern: bits >> 2) ^ -Int64(bitPattern: bits >> 1 & 1)
        return Double(whole) / FixEncoder.decimals
    }
}
