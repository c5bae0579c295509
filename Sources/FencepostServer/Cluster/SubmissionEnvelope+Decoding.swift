import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService

extension SubmissionEnvelope {
    /// Decodes a message.
    ///
    /// - Throws: `InvalidEnvelope` for bytes that no node of this version sends.
    init(decoding bytes: [UInt8]) throws(InvalidEnvelope) {
        var reader = Reader(bytes)
        guard let version = Version(rawValue: try reader.byte()) else { throw InvalidEnvelope() }
        self.version = version
        sentAt = Timestamp(milliseconds: try reader.signed())
        entries = []
        for _ in 0..<(try reader.count()) {
            var (isTrusted, lead) = (false, Int64(0))
            if version == .everything {
                isTrusted = try reader.flag()
                lead = try reader.signed()
            }
            let hash = isTrusted ? nil : try reader.take(Self.hashLength)
            var submission = Submission(format: try reader.text())
            let trace = try reader.text()
            if !trace.isEmpty { submission.traceparent = trace }
            submission.locations = try reader.locations()
            submission.livePositions = try reader.locations()
            if version == .everything {
                submission.reports = try reader.reports()
                submission.quarantined = try reader.quarantined()
            }
            entries.append(Entry(tokenHash: hash.map { Array($0) }, submission: submission, clockLead: lead))
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

        mutating func flag() throws(InvalidEnvelope) -> Bool {
            let byte = try byte()
            guard byte < 2 else { throw InvalidEnvelope() }
            return byte == 1
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

        private mutating func optionalText() throws(InvalidEnvelope) -> String? { try flag() ? try text() : nil }

        private mutating func optionalTime() throws(InvalidEnvelope) -> Timestamp? {
            try flag() ? Timestamp(milliseconds: try signed()) : nil
        }

        private mutating func coordinate() throws(InvalidEnvelope) -> Coordinate {
            let coordinate = Coordinate(latitude: try double(), longitude: try double())
            guard coordinate.isValid else { throw InvalidEnvelope() }
            return coordinate
        }

        mutating func reports() throws(InvalidEnvelope) -> [PhoneReport] {
            var reports: [PhoneReport] = []
            for _ in 0..<(try count()) {
                reports.append(
                    PhoneReport(
                        deviceID: try device(), timestamp: Timestamp(milliseconds: try signed()),
                        coordinate: try flag() ? try coordinate() : nil,
                        horizontalAccuracy: try flag() ? try double() : nil, kind: try kind()))
            }
            return reports
        }

        private mutating func kind() throws(InvalidEnvelope) -> PhoneReport.Kind {
            let number = try byte()
            switch number {
            case 0, 1:
                return .transition(
                    number == 0 ? .enter : .leave, region: try optionalText(), regionID: try optionalText(),
                    trigger: try optionalText())
            case 2:
                return .waypoint(
                    name: try optionalText(), regionID: try optionalText(), radius: try flag() ? try double() : nil,
                    createdAt: try optionalTime())
            case 3:
                return .visit(arrival: try optionalTime(), departure: try optionalTime(), name: try optionalText())
            default: throw InvalidEnvelope()
            }
        }

        mutating func quarantined() throws(InvalidEnvelope) -> [QuarantineEntry] {
            var entries: [QuarantineEntry] = []
            for _ in 0..<(try count()) {
                entries.append(
                    QuarantineEntry(
                        receivedAt: Timestamp(milliseconds: try signed()), format: try text(),
                        deviceID: try flag() ? try device() : nil, index: Int(truncatingIfNeeded: try signed()),
                        code: try text(), detail: try text(), fix: try flag() ? try location() : nil))
            }
            return entries
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
            let coordinate = try coordinate()
            let members = Members(rawValue: try unsigned())
            guard members.isSubset(of: .all) else { throw InvalidEnvelope() }
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
