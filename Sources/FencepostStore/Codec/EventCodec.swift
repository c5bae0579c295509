import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService
import Foundation

/// The bytes of an event in the column `packed`: what its other columns do not have, without loss of what is on the wire.
///
/// Times are differences to the event's time, numbers of few decimals are integers, and members that an event does not have take
/// nothing. A crossing takes about 70 bytes, a visit 110, where their JSON with `why` took 820 on average (`docs/storage.md`).
enum EventCodec {
    private static let version: UInt8 = 1

    /// Which members follow.
    private struct Flags: OptionSet {
        let rawValue: UInt64

        static let isCrossing = Flags(rawValue: 1 << 0)
        static let location = Flags(rawValue: 1 << 1)
        static let why = Flags(rawValue: 1 << 2)
        static let confidence = Flags(rawValue: 1 << 3)
        static let earliest = Flags(rawValue: 1 << 4)
        static let latest = Flags(rawValue: 1 << 5)
        static let correction = Flags(rawValue: 1 << 6)
        static let decisions = Flags(rawValue: 1 << 7)
        static let all = Flags(rawValue: (1 << 8) - 1)
    }

    /// The columns of a row that its bytes refer to.
    struct Columns {
        var id, type: String
        var device: DeviceID
        var region: RegionID?
        var timestamp: Timestamp
    }

    // MARK: Encoding

    /// The bytes of an event of a device; `nil` for other events, and for one that the bytes cannot say.
    static func encode(_ message: EventMessage) -> Data? {
        guard case .occurrence(let event, let decisions) = message.content, isEncodable(event) else { return nil }
        var writer = EventWriter(origin: event.timestamp)
        writer.bytes.append(byte: version)
        var flags: Flags = event.isCrossing ? .isCrossing : []
        if event.location != nil { flags.insert(.location) }
        if event.why != nil { flags.insert(.why) }
        let confidence = event.confidence.flatMap(Self.thousandths)
        if confidence != nil { flags.insert(.confidence) }
        if event.earliest != nil { flags.insert(.earliest) }
        if event.latest != nil { flags.insert(.latest) }
        if message.correction != nil { flags.insert(.correction) }
        if !decisions.isEmpty { flags.insert(.decisions) }
        writer.bytes.append(flags.rawValue)
        writer.bytes.append(signed: Int64(event.sequence))
        writer.append(event.detectedAt)
        writer.append(message.receivedAt)
        if let time = event.earliest { writer.append(time) }
        if let time = event.latest { writer.append(time) }
        writer.append(event.occurrence)
        if let location = event.location { writer.append(location) }
        if let confidence { writer.bytes.append(decimal: confidence) }
        if let why = event.why { writer.append(why, of: event) }
        if let correction = message.correction {
            writer.bytes.append(signed: Int64(correction.revision))
            writer.bytes.append(text: correction.supersedes)
        }
        if !decisions.isEmpty { writer.append(decisions) }
        return writer.bytes.withBytes { Data($0) }
    }

    /// Whether all locations are of the event's device, which the bytes do not repeat, and somewhere.
    private static func isEncodable(_ event: Event) -> Bool {
        [event.location, event.why?.fix].allSatisfy { location in
            location.map { $0.deviceID == event.deviceID && isFinite($0.coordinate) } ?? true
        } && (event.occurrence.visit.map { isFinite($0.coordinate) } ?? true)
    }

    private static func isFinite(_ coordinate: Coordinate) -> Bool {
        coordinate.latitude.isFinite && coordinate.longitude.isFinite
    }

    /// A number as the wire has it; `nil` for one that it leaves out.
    fileprivate static func thousandths(_ number: Double) -> Double? {
        number.isFinite ? (number * 1000).rounded() / 1000 : nil
    }

    // MARK: Decoding

    /// The event of a row.
    static func decode(_ data: Data, _ columns: Columns) throws(CodecError) -> EventMessage {
        var reader = EventReader(bytes: ByteReader([UInt8](data)), columns: columns)
        guard try reader.bytes.byte() == version else { throw CodecError("an event is of another version") }
        let flags = Flags(rawValue: try reader.bytes.number())
        guard Flags.all.isSuperset(of: flags) else { throw CodecError("a flag is not known") }
        let sequence = try reader.integer()
        let (detected, received) = (try reader.time(), try reader.time())
        let earliest = flags.contains(.earliest) ? try reader.time() : nil
        let latest = flags.contains(.latest) ? try reader.time() : nil
        var event = Event(
            id: columns.id, sequence: sequence, deviceID: columns.device, occurrence: try reader.occurrence(),
            timestamp: columns.timestamp, detectedAt: detected, earliest: earliest, latest: latest)
        event.isCrossing = flags.contains(.isCrossing)
        if flags.contains(.location) { event.location = try reader.location() }
        if flags.contains(.confidence) { event.confidence = try reader.bytes.decimal() }
        if flags.contains(.why) { event.why = try reader.why(of: event.location) }
        var correction: EventCorrection?
        if flags.contains(.correction) {
            correction = EventCorrection(revision: try reader.integer(), supersedes: try reader.bytes.text())
        }
        let decisions = flags.contains(.decisions) ? try reader.decisions() : []
        guard reader.bytes.isAtEnd else { throw CodecError("there are bytes behind an event") }
        return EventMessage(
            .occurrence(event, decisions: decisions), receivedAt: received, correction: correction)
    }

    /// The rule in the bytes of an alert; `nil` where they cannot be read.
    static func alertRule(of data: Data) -> String? {
        var reader = ByteReader([UInt8](data))
        guard (try? reader.byte()) == version, let bits = try? reader.number() else { return nil }
        let flags = Flags(rawValue: bits)
        // The sequence and the times.
        let numbers = 3 + (flags.contains(.earliest) ? 1 : 0) + (flags.contains(.latest) ? 1 : 0)
        for _ in 0..<numbers { guard (try? reader.signed()) != nil else { return nil } }
        return try? reader.text()
    }

    /// The sequence number in the bytes of an event; `nil` where they cannot be read.
    static func sequence(of data: Data) -> Int64? {
        var reader = ByteReader([UInt8](data.prefix(24)))
        guard (try? reader.byte()) == version, (try? reader.number()) != nil else { return nil }
        return try? reader.signed()
    }
}

/// Appends the parts of an event.
struct EventWriter {
    var bytes = ByteWriter(capacity: 192)
    /// Times are differences to it.
    let origin: Timestamp

    init(origin: Timestamp) { self.origin = origin }

    mutating func append(_ time: Timestamp) { bytes.append(signed: time.milliseconds &- origin.milliseconds) }

    mutating func append(optional time: Timestamp?) {
        bytes.append(byte: time == nil ? 0 : 1)
        if let time { append(time) }
    }

    mutating func append(optional text: String?) {
        bytes.append(byte: text == nil ? 0 : 1)
        if let text { bytes.append(text: text) }
    }

    mutating func append(optional number: Double?) {
        let number = number.flatMap { $0.isFinite ? $0 : nil }
        bytes.append(byte: number == nil ? 0 : 1)
        if let number { bytes.append(decimal: number) }
    }

    mutating func append(_ duration: Duration) { bytes.append(signed: duration.milliseconds) }

    mutating func append(_ occurrence: Occurrence) {
        switch occurrence {
        case .regionEntered(let region): append(region)
        case .regionExited(let region, let reason):
            append(region)
            bytes.append(byte: reason.code)
        case .regionDwelled(let region, let dwell):
            append(region)
            append(dwell)
        case .visitArrived(let visit), .visitDeparted(let visit): append(visit)
        case .appRelaunched(let app):
            bytes.append(text: app.id)
            append(optional: app.name)
        case .alert(let alert): append(alert)
        case .fence(let report): append(report)
        case .proximity(let report): append(report)
        case .plan(let report): append(report)
        case .deviceStale, .deviceRecovered: break
        }
    }

    /// Without the id, which is a column.
    mutating func append(_ region: RegionSummary) {
        append(optional: region.name)
        bytes.append(UInt64(region.tags.count))
        for tag in region.tags { bytes.append(text: tag) }
        append(optional: region.metadata?.rawValue)
    }

    mutating func append(_ visit: Visit) {
        bytes.append(text: visit.id)
        append(visit.coordinate)
        append(optional: visit.horizontalAccuracy)
        bytes.append(UInt64(visit.regions.count))
        for region in visit.regions { bytes.append(text: region.rawValue) }
        for time in [
            visit.arrival, visit.departure, visit.arrivalEarliest, visit.arrivalLatest, visit.departureEarliest,
            visit.departureLatest,
        ] { append(optional: time) }
    }

    mutating func append(_ alert: Alert) {
        bytes.append(text: alert.rule)
        bytes.append(byte: alert.state.code)
        append(optional: alert.value)
        append(optional: alert.limit)
        append(optional: alert.unit)
        append(optional: alert.distance)
        bytes.append(byte: alert.duration == nil ? 0 : 1)
        if let duration = alert.duration { append(duration) }
        if let region = alert.region { append(region) }
    }

    mutating func append(_ report: FenceReport) {
        let fence = report.fence
        append(optional: fence.armedAt)
        append(fence.center)
        append(optional: fence.horizontalAccuracy)
        append(optional: fence.radius)
        append(optional: fence.until)
        append(optional: fence.owner?.rawValue)
        bytes.append(text: fence.origin.rawValue)
        switch report.kind {
        case .armed: break
        case .broken(let distance): append(optional: distance)
        case .disarmed(let reason): bytes.append(text: reason.rawValue)
        }
    }

    mutating func append(_ report: ProximityReport) {
        bytes.append(text: report.rule)
        bytes.append(text: report.other.rawValue)
        for number in [report.distance, report.uncertainty, report.limit] { append(optional: number) }
        switch report.kind {
        case .entered, .unaccompanied: break
        case .exited(let isClosed): bytes.append(byte: isClosed ? 1 : 0)
        case .dwelled(let span): append(span)
        }
    }

    /// The lowest bit of the first number says whether both are integers.
    mutating func append(_ coordinate: Coordinate) {
        if let latitude = coordinate.latitude.scaled(FixEncoder.degree),
            let longitude = coordinate.longitude.scaled(FixEncoder.degree)
        {
            bytes.append(byte: 0)
            bytes.append(signed: latitude)
            bytes.append(signed: longitude)
        } else {
            bytes.append(byte: 1)
            bytes.withReserved(16) {
                $0.append(bits: coordinate.latitude)
                $0.append(bits: coordinate.longitude)
            }
        }
    }

    mutating func append(_ location: Location) {
        bytes.append(FixEncoder.flags(of: StoredLocation(location)).rawValue)
        append(location.timestamp)
        append(location.coordinate)
        bytes.withReserved(96) {
            $0.append(decimal: location.horizontalAccuracy)
            $0.append(decimal: location.altitude)
            $0.append(decimal: location.verticalAccuracy)
            $0.append(decimal: location.speed)
            $0.append(decimal: location.course)
            $0.append(decimal: location.batteryLevel)
        }
        if let state = location.batteryState { bytes.append(byte: state.code) }
        if let source = location.source { bytes.append(text: source) }
        if let trigger = location.trigger { bytes.append(text: trigger) }
        if let floor = location.floor { bytes.append(signed: Int64(floor)) }
    }

    mutating func append(_ why: Why, of event: Event) {
        bytes.append(byte: why.rule.code)
        bytes.append(byte: why.fix == nil ? 0 : why.fix == event.location ? 1 : 2)
        if let fix = why.fix, fix != event.location { append(fix) }
        for number in [why.distance, why.accuracy, why.probability] {
            append(optional: number.flatMap(EventCodec.thousandths))
        }
        bytes.append(UInt64(why.pendingFixes.count))
        for time in why.pendingFixes { append(time) }
    }

    mutating func append(_ decisions: [AppDecision]) {
        bytes.append(UInt64(decisions.count))
        for decision in decisions {
            append(optional: decision.app)
            bytes.append(text: decision.outcome)
            bytes.append(byte: decision.isRelaunched ? 1 : 0)
            bytes.append(text: decision.text.rawValue)
        }
    }
}

/// Reads what an `EventWriter` appends.
struct EventReader {
    var bytes: ByteReader
    let columns: EventCodec.Columns

    mutating func time() throws(CodecError) -> Timestamp {
        Timestamp(milliseconds: columns.timestamp.milliseconds &+ (try bytes.signed()))
    }

    mutating func integer() throws(CodecError) -> Int { Int(try bytes.signed()) }

    /// A count of things that take at least a byte each.
    mutating func count() throws(CodecError) -> Int {
        let count = try bytes.number()
        guard count <= UInt64(bytes.rest.count) else { throw CodecError("they end too early") }
        return Int(count)
    }

    mutating func isThere() throws(CodecError) -> Bool {
        switch try bytes.byte() {
        case 0: false
        case 1: true
        default: throw CodecError("a mark is not known")
        }
    }

    mutating func optionalTime() throws(CodecError) -> Timestamp? { try isThere() ? try time() : nil }
    mutating func optionalText() throws(CodecError) -> String? { try isThere() ? try bytes.text() : nil }
    mutating func optionalNumber() throws(CodecError) -> Double? { try isThere() ? try bytes.decimal() : nil }
    mutating func duration() throws(CodecError) -> Duration { .milliseconds(try bytes.signed()) }

    mutating func occurrence() throws(CodecError) -> Occurrence {
        guard let type = EventType(rawValue: columns.type) else { throw CodecError("a type of events is not known") }
        switch type {
        case .regionEntered: return .regionEntered(try region())
        case .regionExited:
            let region = try region()
            return .regionExited(region, reason: try Occurrence.ExitReason?(code: try bytes.byte()))
        case .regionDwelled:
            let region = try region()
            return .regionDwelled(region, dwell: try duration())
        case .visitArrived: return .visitArrived(try visit())
        case .visitDeparted: return .visitDeparted(try visit())
        case .deviceStale: return .deviceStale
        case .deviceRecovered: return .deviceRecovered
        case .appRelaunched:
            let id = try bytes.text()
            return .appRelaunched(AppSummary(id: id, name: try optionalText()))
        case .alertSpeed, .alertBattery, .alertAccuracy, .alertJump, .alertUnplugged, .alertAbsent, .alertPresent,
            .alertSilent:
            guard let kind = Alert.Kind(type) else { throw CodecError("a type of events is not known") }
            return try alert(kind)
        case .fenceArmed: return try fence { _ in .armed }
        case .fenceBroken:
            return try fence { (reader) throws(CodecError) in .broken(distance: try reader.optionalNumber() ?? 0) }
        case .fenceDisarmed: return try fence { (reader) throws(CodecError) in .disarmed(try reader.disarmReason()) }
        case .proximityEntered: return try proximity { _ in .entered }
        case .proximityExited:
            return try proximity { (reader) throws(CodecError) in .exited(isClosed: try reader.isThere()) }
        case .proximityDwelled: return try proximity { (reader) throws(CodecError) in .dwelled(try reader.duration()) }
        case .proximityUnaccompanied: return try proximity { _ in .unaccompanied }
        case .planVisited: return try plan { (_) throws(CodecError) in .visited }
        case .planLate: return try plan { (_) throws(CodecError) in .late }
        case .planMissed: return try plan { (_) throws(CodecError) in .missed }
        case .planCompleted: return try plan { (reader) throws(CodecError) in .completed(try reader.planSummary()) }
        }
    }

    mutating func proximity(
        _ kind: (inout Self) throws(CodecError) -> ProximityReport.Kind
    ) throws(CodecError) -> Occurrence {
        let (rule, other) = (try bytes.text(), try bytes.text())
        let (distance, uncertainty, limit) = (try optionalNumber(), try optionalNumber(), try optionalNumber())
        return .proximity(
            ProximityReport(
                try kind(&self), rule: rule, other: DeviceID(other), distance: distance ?? 0,
                uncertainty: uncertainty ?? 0, limit: limit ?? 0))
    }

    mutating func region() throws(CodecError) -> RegionSummary {
        guard let id = columns.region else { throw CodecError("an event has no region") }
        let name = try optionalText()
        var tags: [String] = []
        for _ in 0..<(try count()) { tags.append(try bytes.text()) }
        return RegionSummary(id: id, name: name, tags: tags, metadata: try optionalText().map { JSONText($0) })
    }

    mutating func visit() throws(CodecError) -> Visit {
        let id = try bytes.text()
        let (center, accuracy) = (try coordinate(), try optionalNumber())
        var regions: [RegionID] = []
        for _ in 0..<(try count()) { regions.append(RegionID(try bytes.text())) }
        var visit = Visit(
            id: id, arrival: try optionalTime(), departure: try optionalTime(), coordinate: center,
            horizontalAccuracy: accuracy ?? 0, regions: regions)
        visit.arrivalEarliest = try optionalTime()
        visit.arrivalLatest = try optionalTime()
        visit.departureEarliest = try optionalTime()
        visit.departureLatest = try optionalTime()
        return visit
    }

    mutating func alert(_ kind: Alert.Kind) throws(CodecError) -> Occurrence {
        var alert = Alert(kind: kind, rule: try bytes.text(), state: try Alert.State(code: try bytes.byte()))
        alert.value = try optionalNumber()
        alert.limit = try optionalNumber()
        alert.unit = try optionalText()
        alert.distance = try optionalNumber()
        if try isThere() { alert.duration = try duration() }
        if columns.region != nil { alert.region = try region() }
        return .alert(alert)
    }

    mutating func fence(_ kind: (inout Self) throws(CodecError) -> FenceReport.Kind) throws(CodecError) -> Occurrence {
        guard let armedAt = try optionalTime() else { throw CodecError("a fence has no time") }
        let (center, accuracy, radius) = (try coordinate(), try optionalNumber(), try optionalNumber())
        let (until, owner) = (try optionalTime(), try optionalText())
        guard let origin = Fence.Origin(rawValue: try bytes.text()) else { throw CodecError("an origin is not known") }
        let fence = Fence(
            armedAt: armedAt, center: center, horizontalAccuracy: accuracy ?? 0, radius: radius ?? 0, until: until,
            owner: owner.map { DeviceID($0) }, origin: origin)
        return .fence(FenceReport(try kind(&self), fence))
    }

    mutating func disarmReason() throws(CodecError) -> FenceReport.DisarmReason {
        guard let reason = FenceReport.DisarmReason(rawValue: try bytes.text()) else {
            throw CodecError("a reason is not known")
        }
        return reason
    }

    mutating func coordinate() throws(CodecError) -> Coordinate {
        if try isThere() { return Coordinate(latitude: try bytes.double(), longitude: try bytes.double()) }
        let (latitude, longitude) = (try bytes.signed(), try bytes.signed())
        return Coordinate(
            latitude: Double(latitude) / FixEncoder.degree, longitude: Double(longitude) / FixEncoder.degree)
    }

    mutating func location() throws(CodecError) -> Location {
        let flags = FixFlags(rawValue: try bytes.number())
        guard FixFlags.all.isSuperset(of: flags) else { throw CodecError("a flag is not known") }
        let time = try time()
        var location = Location(deviceID: columns.device, timestamp: time, coordinate: try coordinate())
        if flags.contains(.horizontalAccuracy) { location.horizontalAccuracy = try bytes.decimal() }
        if flags.contains(.altitude) { location.altitude = try bytes.decimal() }
        if flags.contains(.verticalAccuracy) { location.verticalAccuracy = try bytes.decimal() }
        if flags.contains(.speed) { location.speed = try bytes.decimal() }
        if flags.contains(.course) { location.course = try bytes.decimal() }
        if flags.contains(.batteryLevel) { location.batteryLevel = try bytes.decimal() }
        if flags.contains(.batteryState) { location.batteryState = try Location.BatteryState(code: try bytes.byte()) }
        if flags.contains(.source) { location.source = try bytes.text() }
        if flags.contains(.trigger) { location.trigger = try bytes.text() }
        if flags.contains(.floor) { location.floor = try integer() }
        if flags.contains(.simulated) { location.isSimulated = true }
        if flags.contains(.notSimulated) { location.isSimulated = false }
        return location
    }

    mutating func why(of known: Location?) throws(CodecError) -> Why {
        let rule = try Why.Rule(code: try bytes.byte())
        var why = Why(rule: rule)
        switch try bytes.byte() {
        case 0: break
        case 1: why.fix = known
        case 2: why.fix = try location()
        default: throw CodecError("a mark is not known")
        }
        why.distance = try optionalNumber()
        why.accuracy = try optionalNumber()
        why.probability = try optionalNumber()
        for _ in 0..<(try count()) { why.pendingFixes.append(try time()) }
        return why
    }

    mutating func decisions() throws(CodecError) -> [AppDecision] {
        var decisions: [AppDecision] = []
        for _ in 0..<(try count()) {
            decisions.append(
                AppDecision(
                    app: try optionalText(), outcome: try bytes.text(), isRelaunched: try isThere(),
                    text: JSONText(try bytes.text())))
        }
        return decisions
    }
}
