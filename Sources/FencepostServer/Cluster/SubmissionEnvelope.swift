import FencepostGeometry
import FencepostModel
import FencepostService

/// Submissions of several requests in one message, as a node of a cluster sends them to the leader.
///
/// The bytes: a version; the sender's time; the number of submissions; each with the hash of its token, its format and
/// trace, and its locations and live positions. Numbers are LEB128, signed ones zigzag-encoded, coordinates and
/// measurements keep all bits, and a device's id is written once.
struct SubmissionEnvelope: Hashable, Sendable {
    /// A submission of the caller with a token.
    struct Entry: Hashable, Sendable {
        /// SHA-256 of the token's secret.
        var tokenHash: [UInt8]
        /// Locations and live positions only: phones' reports and rejected records do not travel this way.
        var submission: Submission
    }

    /// Where nodes send it.
    static let path = "/v1/cluster/submissions"
    /// The format that this version writes and reads.
    static let version: UInt8 = 1
    static let hashLength = 32

    /// When it was sent, by the sender's clock.
    var sentAt: Timestamp
    var entries: [Entry]

    /// What the leader made of it.
    enum Reply: Hashable, Sendable {
        /// The results of the submissions, in their order; `nil` for one that was not handled, of which nothing is stored.
        case receipts([SubmissionReceipt?])
        /// Nothing was handled, since the clocks of the two nodes differ.
        case clocksDiffer
    }
}

/// Bytes that are no envelope or reply of this version.
struct InvalidEnvelope: Error, Hashable {}

// MARK: - Encoding

extension SubmissionEnvelope {
    /// The bytes of the message.
    var encoded: [UInt8] {
        var writer = Writer()
        writer.bytes.reserveCapacity(64 + entries.reduce(0) { $0 + 80 + 64 * $1.submission.locations.count })
        writer.bytes.append(Self.version)
        writer.append(signed: sentAt.milliseconds)
        writer.append(entries.count)
        for entry in entries {
            precondition(entry.tokenHash.count == Self.hashLength, "a hash of a token has 32 bytes")
            writer.bytes += entry.tokenHash
            writer.append(entry.submission.format)
            writer.append(entry.submission.traceparent ?? "")
            writer.append(entry.submission.locations)
            writer.append(entry.submission.livePositions)
        }
        return writer.bytes
    }

    private struct Writer {
        var bytes: [UInt8] = []
        private var devices: [DeviceID: Int] = [:]

        mutating func append(_ number: Int) { append(unsigned: UInt64(number)) }

        mutating func append(signed number: Int64) { append(unsigned: VariableLengthInteger.zigzag(number)) }

        private mutating func append(unsigned number: UInt64) {
            VariableLengthInteger.encode(number) { bytes.append($0) }
        }

        private mutating func append(bits number: Double) {
            withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
        }

        mutating func append(_ text: String) {
            append(text.utf8.count)
            bytes += text.utf8
        }

        mutating func append(_ locations: [Location]) {
            append(locations.count)
            for location in locations { append(location) }
        }

        private mutating func append(_ location: Location) {
            if let known = devices[location.deviceID] {
                append(known + 1)
            } else {
                devices[location.deviceID] = devices.count
                append(0)
                append(location.deviceID.rawValue)
            }
            append(signed: location.timestamp.milliseconds)
            append(bits: location.coordinate.latitude)
            append(bits: location.coordinate.longitude)
            let members = Members(location)
            append(unsigned: members.rawValue)
            for number in Self.numbers(of: location) {
                if let number { append(bits: number) }
            }
            if let state = location.batteryState {
                bytes.append(UInt8(Location.BatteryState.allCases.firstIndex(of: state) ?? 0))
            }
            if let floor = location.floor { append(signed: Int64(floor)) }
            if let source = location.source { append(source) }
            if let trigger = location.trigger { append(trigger) }
        }

        private static func numbers(of location: Location) -> [Double?] {
            [
                location.horizontalAccuracy, location.altitude, location.verticalAccuracy, location.speed,
                location.course, location.batteryLevel,
            ]
        }
    }

    /// The members that a location has.
    private struct Members: OptionSet {
        let rawValue: UInt64

        static let horizontalAccuracy = Members(rawValue: 1 << 0)
        static let altitude = Members(rawValue: 1 << 1)
        static let verticalAccuracy = Members(rawValue: 1 << 2)
        static let speed = Members(rawValue: 1 << 3)
        static let course = Members(rawValue: 1 << 4)
        static let batteryLevel = Members(rawValue: 1 << 5)
        static let batteryState = Members(rawValue: 1 << 6)
        static let floor = Members(rawValue: 1 << 7)
        static let source = Members(rawValue: 1 << 8)
        static let trigger = Members(rawValue: 1 << 9)
        static let simulated = Members(rawValue: 1 << 10)
        static let notSimulated = Members(rawValue: 1 << 11)
        static let all = Members(rawValue: (1 << 12) - 1)

        init(rawValue: UInt64) {
            self.rawValue = rawValue
        }

        init(_ location: Location) {
            var members: Members = []
            if location.horizontalAccuracy != nil { members.insert(.horizontalAccuracy) }
            if location.altitude != nil { members.insert(.altitude) }
            if location.verticalAccuracy != nil { members.insert(.verticalAccuracy) }
            if location.speed != nil { members.insert(.speed) }
            if location.course != nil { members.insert(.course) }
            if location.batteryLevel != nil { members.insert(.batteryLevel) }
            if location.batteryState != nil { members.insert(.batteryState) }
            if location.floor != nil { members.insert(.floor) }
            if location.source != nil { members.insert(.source) }
            if location.trigger != nil { members.insert(.trigger) }
            if let isSimulated = location.isSimulated { members.insert(isSimulated ? .simulated : .notSimulated) }
            self = members
        }
    }
}

// MARK: - Decoding

extension SubmissionEnvelope {
    /// Decodes a message.
    ///
    /// - Throws: `InvalidEnvelope` for bytes that no node of this version sends.
    init(decoding bytes: [UInt8]) throws(InvalidEnvelope) {
        var reader = Reader(bytes)
        guard try reader.byte() == Self.version else { throw InvalidEnvelope() }
        sentAt = Timestamp(milliseconds: try reader.signed())
        entries = []
        for _ in 0..<(try reader.count()) {
            let hash = try reader.take(Self.hashLength)
            var submission = Submission(format: try reader.text())
            let trace = try reader.text()
            if !trace.isEmpty { submission.traceparent = trace }
            submission.locations = try reader.locations()
            submission.livePositions = try reader.locations()
            entries.append(Entry(tokenHash: Array(hash), submission: submission))
        }
        guard reader.isAtEnd else { throw InvalidEnvelope() }
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var offset = 0
        private var devices: [DeviceID] = []

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        var isAtEnd: Bool { offset == bytes.count }

        mutating func byte() throws(InvalidEnvelope) -> UInt8 {
            guard offset < bytes.count else { throw InvalidEnvelope() }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func take(_ count: Int) throws(InvalidEnvelope) -> ArraySlice<UInt8> {
            guard count <= bytes.count - offset else { throw InvalidEnvelope() }
            defer { offset += count }
            return bytes[offset..<offset + count]
        }

        private mutating func unsigned() throws(InvalidEnvelope) -> UInt64 {
            guard let number = try VariableLengthInteger.decode({ () throws(InvalidEnvelope) in try byte() }) else {
                throw InvalidEnvelope()
            }
            return number
        }

        mutating func signed() throws(InvalidEnvelope) -> Int64 {
            VariableLengthInteger.signed(zigzag: try unsigned())
        }

        /// A number of things that take at least a byte each.
        mutating func count() throws(InvalidEnvelope) -> Int {
            let number = try unsigned()
            guard number <= UInt64(bytes.count - offset) else { throw InvalidEnvelope() }
            return Int(number)
        }

        private mutating func double() throws(InvalidEnvelope) -> Double {
            var bits: UInt64 = 0
            for (index, byte) in try take(8).enumerated() { bits |= UInt64(byte) << UInt64(8 * index) }
            return Double(bitPattern: bits)
        }

        private mutating func double(_ isThere: Bool) throws(InvalidEnvelope) -> Double? {
            isThere ? try double() : nil
        }

        mutating func text() throws(InvalidEnvelope) -> String {
            guard let text = String(validating: try take(count()), as: UTF8.self) else { throw InvalidEnvelope() }
            return text
        }

        mutating func locations() throws(InvalidEnvelope) -> [Location] {
            var locations: [Location] = []
            let count = try count()
            locations.reserveCapacity(count)
            for _ in 0..<count { locations.append(try location()) }
            return locations
        }

        private mutating func device() throws(InvalidEnvelope) -> DeviceID {
            let number = try unsigned()
            guard number > 0 else {
                let device = DeviceID(try text())
                devices.append(device)
                return device
            }
            guard number <= UInt64(devices.count) else { throw InvalidEnvelope() }
            return devices[Int(number) - 1]
        }

        private mutating func location() throws(InvalidEnvelope) -> Location {
            let device = try device()
            let timestamp = Timestamp(milliseconds: try signed())
            let coordinate = Coordinate(latitude: try double(), longitude: try double())
            let members = Members(rawValue: try unsigned())
            guard members.isSubset(of: .all), abs(coordinate.latitude) <= 90, abs(coordinate.longitude) <= 180 else {
                throw InvalidEnvelope()
            }
            var location = Location(deviceID: device, timestamp: timestamp, coordinate: coordinate)
            location.horizontalAccuracy = try double(members.contains(.horizontalAccuracy))
            location.altitude = try double(members.contains(.altitude))
            location.verticalAccuracy = try double(members.contains(.verticalAccuracy))
            location.speed = try double(members.contains(.speed))
            location.course = try double(members.contains(.course))
            location.batteryLevel = try double(members.contains(.batteryLevel))
            if members.contains(.batteryState) {
                let index = Int(try byte())
                guard Location.BatteryState.allCases.indices.contains(index) else { throw InvalidEnvelope() }
                location.batteryState = Location.BatteryState.allCases[index]
            }
            if members.contains(.floor) { location.floor = Int(truncatingIfNeeded: try signed()) }
            if members.contains(.source) { location.source = try text() }
            if members.contains(.trigger) { location.trigger = try text() }
            if members.contains(.simulated) { location.isSimulated = true }
            if members.contains(.notSimulated) { location.isSimulated = false }
            return location
        }
    }
}

// MARK: - Replies

extension SubmissionEnvelope.Reply {
    private enum Code {
        static let unhandled: UInt8 = 0
        static let handled: UInt8 = 1
        static let clocksDiffer: UInt8 = 2
    }

    /// The bytes of the reply: a version, and for each submission 0, or 1 and the counts of its receipt; or one 2.
    var encoded: [UInt8] {
        var bytes = [SubmissionEnvelope.version]
        guard case .receipts(let receipts) = self else { return bytes + [Code.clocksDiffer] }
        for receipt in receipts {
            guard let receipt else {
                bytes.append(Code.unhandled)
                continue
            }
            bytes.append(Code.handled)
            for count in [receipt.accepted, receipt.late, receipt.duplicates] {
                VariableLengthInteger.encode(UInt64(count)) { bytes.append($0) }
            }
        }
        return bytes
    }

    /// Decodes the reply to a number of submissions.
    ///
    /// - Throws: `InvalidEnvelope` for other bytes.
    init(decoding bytes: [UInt8], count: Int) throws(InvalidEnvelope) {
        var rest = bytes[...]
        func byte() throws(InvalidEnvelope) -> UInt8 {
            guard let byte = rest.popFirst() else { throw InvalidEnvelope() }
            return byte
        }
        func number() throws(InvalidEnvelope) -> Int {
            guard let number = try VariableLengthInteger.decode({ () throws(InvalidEnvelope) in try byte() }),
                let number = Int(exactly: number)
            else { throw InvalidEnvelope() }
            return number
        }
        guard try byte() == SubmissionEnvelope.version else { throw InvalidEnvelope() }
        if rest == [Code.clocksDiffer] {
            self = .clocksDiffer
            return
        }
        var receipts: [SubmissionReceipt?] = []
        for _ in 0..<count {
            switch try byte() {
            case Code.unhandled: receipts.append(nil)
            case Code.handled:
                receipts.append(
                    SubmissionReceipt(accepted: try number(), late: try number(), duplicates: try number()))
            default: throw InvalidEnvelope()
            }
        }
        guard rest.isEmpty else { throw InvalidEnvelope() }
        self = .receipts(receipts)
    }
}
