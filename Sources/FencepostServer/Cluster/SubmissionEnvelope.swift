import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService

/// Submissions of several requests in one message, as a node of a cluster sends them to the leader.
///
/// The bytes: a version; the sender's time; the number of submissions; each with the hash of its token, its format and
/// trace, and its locations and live positions. Numbers are LEB128, signed ones zigzag-encoded, coordinates and
/// measurements keep all bits, and a device's id is written once.
///
/// Version 2, between the nodes of a cluster of several partitions, has before each hash a byte, 1 without a hash for what
/// the key alone permits, and how far the clock that decoded it was ahead of the sender's; and behind the live positions
/// the reports and the rejected records.
struct SubmissionEnvelope: Hashable, Sendable {
    /// A submission of the caller with a token.
    struct Entry: Hashable, Sendable {
        /// SHA-256 of the token's secret; `nil` for a submission of the sending node's own, or one whose caller it has
        /// checked. In version 2 only.
        var tokenHash: [UInt8]?
        /// In version 1, locations and live positions only.
        var submission: Submission
        /// How far the clock that decoded it was ahead of the sender's, in milliseconds. In version 2 only.
        var clockLead: Int64 = 0
    }

    /// What the leader made of one submission.
    enum Outcome: Hashable, Sendable {
        /// It is durable.
        case stored(SubmissionReceipt)
        /// It was not handled, and nothing of it is stored.
        case unhandled
        /// Nothing is stored, since the token is unknown, has expired or does not permit it.
        case refused
        /// Nothing is stored, since the leader's clock differs: it is ahead of the sender's by so many milliseconds.
        case clockDiffers(Int64)

        /// The receipt; `nil` if it is not stored.
        var receipt: SubmissionReceipt? {
            if case .stored(let receipt) = self { receipt } else { nil }
        }
    }

    /// Where nodes send it.
    static let path = "/v1/cluster/submissions"
    /// The formats that this version writes and reads.
    enum Version: UInt8, Hashable, Sendable {
        case locations = 1
        case everything = 2
    }
    static let hashLength = 32

    var version = Version.locations
    /// When it was sent, by the sender's clock.
    var sentAt: Timestamp
    var entries: [Entry]

    /// What the leader made of it.
    enum Reply: Hashable, Sendable {
        /// The results of the submissions, in their order; `nil` for one that was not handled, of which nothing is stored.
        case receipts([SubmissionReceipt?])
        /// Nothing was handled, since the clocks of the two nodes differ.
        case clocksDiffer
        /// In version 2, the results of the submissions, in their order.
        case outcomes([Outcome])
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
        writer.bytes.append(version.rawValue)
        writer.append(signed: sentAt.milliseconds)
        writer.append(entries.count)
        for entry in entries {
            if version == .everything {
                writer.bytes.append(entry.tokenHash == nil ? 1 : 0)
                writer.append(signed: entry.clockLead)
            }
            precondition(
                entry.tokenHash.map { $0.count == Self.hashLength } ?? (version == .everything),
                "a hash of a token has 32 bytes")
            writer.bytes += entry.tokenHash ?? []
            writer.append(entry.submission.format)
            writer.append(entry.submission.traceparent ?? "")
            writer.append(entry.submission.locations)
            writer.append(entry.submission.livePositions)
            if version == .everything {
                writer.append(entry.submission.reports)
                writer.append(entry.submission.quarantined)
            }
        }
        return writer.bytes
    }

    private struct Writer {
        var bytes: [UInt8] = []
        private var devices: [DeviceID: Int] = [:]

        mutating func append(_ number: Int) { append(unsigned: UInt64(number)) }

        mutating func append(signed number: Int64) { append(unsigned: VariableLengthInteger.zigzag(number)) }

        private mutating func append(unsigned number: UInt64) {
            VariableLengthInteger.append(number, to: &bytes)
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

        private mutating func append(_ device: DeviceID) {
            if let known = devices[device] {
                append(known + 1)
            } else {
                devices[device] = devices.count
                append(0)
                append(device.rawValue)
            }
        }

        /// A byte that says whether there is a value, and the value.
        private mutating func append<Value>(
            optional value: Value?, _ write: (inout Writer, Value) -> Void
        ) {
            bytes.append(value == nil ? 0 : 1)
            if let value { write(&self, value) }
        }

        mutating func append(_ reports: [PhoneReport]) {
            append(reports.count)
            for report in reports {
                append(report.deviceID)
                append(signed: report.timestamp.milliseconds)
                append(optional: report.coordinate) { writer, coordinate in
                    writer.append(bits: coordinate.latitude)
                    writer.append(bits: coordinate.longitude)
                }
                append(optional: report.horizontalAccuracy) { $0.append(bits: $1) }
                append(report.kind)
            }
        }

        private mutating func append(_ kind: PhoneReport.Kind) {
            switch kind {
            case .transition(let transition, let region, let regionID, let trigger):
                bytes.append(transition == .enter ? 0 : 1)
                for text in [region, regionID, trigger] { append(optional: text) { $0.append($1) } }
            case .waypoint(let name, let regionID, let radius, let createdAt):
                bytes.append(2)
                for text in [name, regionID] { append(optional: text) { $0.append($1) } }
                append(optional: radius) { $0.append(bits: $1) }
                append(optional: createdAt) { $0.append(signed: $1.milliseconds) }
            case .visit(let arrival, let departure, let name):
                bytes.append(3)
                for time in [arrival, departure] { append(optional: time) { $0.append(signed: $1.milliseconds) } }
                append(optional: name) { $0.append($1) }
            }
        }

        mutating func append(_ entries: [QuarantineEntry]) {
            append(entries.count)
            for entry in entries {
                append(signed: entry.receivedAt.milliseconds)
                append(entry.format)
                append(optional: entry.deviceID) { $0.append($1) }
                append(signed: Int64(entry.index))
                append(entry.code)
                append(entry.detail)
                append(optional: entry.fix) { $0.append($1) }
            }
        }

        private mutating func append(_ location: Location) {
            append(location.deviceID)
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
    struct Members: OptionSet {
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

// MARK: - Replies

extension SubmissionEnvelope.Reply {
    private enum Code {
        static let unhandled: UInt8 = 0
        static let handled: UInt8 = 1
        static let clocksDiffer: UInt8 = 2
        static let refused: UInt8 = 3
    }

    /// The bytes of the reply: a version, and for each submission 0, or 1 and the counts of its receipt; or one 2. In
    /// version 2 each submission may have 2 and how far the leader's clock is ahead, or 3 for one that is not permitted.
    var encoded: [UInt8] {
        var bytes: [UInt8]
        switch self {
        case .clocksDiffer: return [SubmissionEnvelope.Version.locations.rawValue, Code.clocksDiffer]
        case .receipts(let receipts):
            bytes = [SubmissionEnvelope.Version.locations.rawValue]
            for receipt in receipts { Self.append(receipt.map { .stored($0) } ?? .unhandled, to: &bytes) }
        case .outcomes(let outcomes):
            bytes = [SubmissionEnvelope.Version.everything.rawValue]
            for outcome in outcomes { Self.append(outcome, to: &bytes) }
        }
        return bytes
    }

    private static func append(_ outcome: SubmissionEnvelope.Outcome, to bytes: inout [UInt8]) {
        switch outcome {
        case .unhandled: bytes.append(Code.unhandled)
        case .refused: bytes.append(Code.refused)
        case .clockDiffers(let lead):
            bytes.append(Code.clocksDiffer)
            VariableLengthInteger.append(VariableLengthInteger.zigzag(lead), to: &bytes)
        case .stored(let receipt):
            bytes.append(Code.handled)
            for count in [receipt.accepted, receipt.late, receipt.duplicates] {
                VariableLengthInteger.append(UInt64(count), to: &bytes)
            }
        }
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
        func unsigned() throws(InvalidEnvelope) -> UInt64 {
            guard let number = try VariableLengthInteger.decode({ () throws(InvalidEnvelope) in try byte() }) else {
                throw InvalidEnvelope()
            }
            return number
        }
        func number() throws(InvalidEnvelope) -> Int {
            guard let number = Int(exactly: try unsigned()) else { throw InvalidEnvelope() }
            return number
        }
        guard let version = SubmissionEnvelope.Version(rawValue: try byte()) else { throw InvalidEnvelope() }
        if version == .locations, rest == [Code.clocksDiffer] {
            self = .clocksDiffer
            return
        }
        var outcomes: [SubmissionEnvelope.Outcome] = []
        for _ in 0..<count {
            switch try byte() {
            case Code.unhandled: outcomes.append(.unhandled)
            case Code.handled:
                outcomes.append(
                    .stored(
                        SubmissionReceipt(accepted: try number(), late: try number(), duplicates: try number())))
            case Code.refused where version == .everything: outcomes.append(.refused)
            case Code.clocksDiffer where version == .everything:
                outcomes.append(.clockDiffers(VariableLengthInteger.signed(zigzag: try unsigned())))
            default: throw InvalidEnvelope()
            }
        }
        guard rest.isEmpty else { throw InvalidEnvelope() }
        self = version == .locations ? .receipts(outcomes.map(\.receipt)) : .outcomes(outcomes)
    }
}
