public import FencepostModel

/// A real phone on a day whose stays and ways were logged by hand, or that lay still.
public struct PhoneCase: Sendable {
    /// What a phone was for.
    public enum Group: String, Hashable, Sendable, CaseIterable {
        /// It was carried along.
        case days
        /// It lay still, and all stays of it are one.
        case still
    }

    /// What the phone did.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case stay, move
        /// Between a stay and a way, or not known: a detector may report a stay or none.
        case wait, unknown
    }

    /// A part of the time whose truth is known.
    public struct Interval: Hashable, Sendable {
        public var span: TimeSpan
        public var kind: Kind
        /// How somebody travelled; `nil` if it is not known, and for anything but a way.
        public var mode: TravelMode?
        /// Whether its time counts where the time with the right mode is measured: short walks to a vehicle do not.
        public var isTravel: Bool
        /// The trip and its leg in the log; `nil` for a stay between two trips.
        public var leg: PhoneLegName?

        /// A part of the time; what is left out is that of a stay.
        public init(
            _ span: TimeSpan, _ kind: Kind, mode: TravelMode? = nil, isTravel: Bool = true, leg: PhoneLegName? = nil
        ) {
            self.span = span
            self.kind = kind
            self.mode = mode
            self.isTravel = isTravel
            self.leg = leg
        }
    }

    public var device: DeviceID
    public var group: Group
    /// The operating system, such as `ios`; a table has a row for each.
    public var system: String
    /// In the order of time; at least one.
    public var fixes: [Location]
    /// In the order of time, without overlaps; at least one.
    public var intervals: [Interval]

    /// A case whose fixes and intervals are in the order of time.
    public init(device: DeviceID, group: Group, system: String, fixes: [Location], intervals: [Interval]) {
        self.device = device
        self.group = group
        self.system = system
        self.fixes = fixes
        self.intervals = intervals
    }

    /// From the start of the first interval to the end of the last one: the time whose truth is known.
    public var known: TimeSpan {
        TimeSpan(intervals.first?.span.start ?? .distantPast, intervals.last?.span.end ?? .distantPast)
    }

    /// The times of the fixes from the first to the last one.
    var recorded: TimeSpan {
        TimeSpan(fixes.first?.timestamp ?? .distantPast, fixes.last?.timestamp ?? .distantPast)
    }

    /// The same phone with fewer fixes: each is at least this number of seconds after the one before.
    public func thinned(to seconds: Double) -> PhoneCase {
        var copy = self
        copy.fixes = fixes.thinned(to: seconds)
        return copy
    }
}

extension [Location] {
    /// The first fix, and each that is at least this number of seconds after the last one that is kept.
    func thinned(to seconds: Double) -> [Location] {
        var kept: [Location] = []
        for fix in self {
            if let last = kept.last, (fix.timestamp - last.timestamp).seconds < seconds { continue }
            kept.append(fix)
        }
        return kept
    }
}

extension PhoneCase {
    /// Reads `cases.json`; `docs/quality.md` has its members.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its name in errors.
    /// - Returns: the phones in the order of the file.
    /// - Throws: `BenchmarkError` with the case and the member.
    public static func read(_ bytes: some Collection<UInt8>, file: String) throws -> [PhoneCase] {
        var known: Set<DeviceID> = []
        return try PhoneRecord.all(in: bytes, file: file, named: "case").map { record in
            let device = try record.device(&known)
            guard let group = Group(rawValue: try record.text("set")) else {
                throw record.error("\"set\" is not \"days\" or \"still\"")
            }
            return PhoneCase(
                device: device, group: group, system: try record.text("os"), fixes: try record.fixes(of: device),
                intervals: try intervals(of: record))
        }
    }

    private static func intervals(of record: PhoneRecord) throws -> [Interval] {
        var intervals: [Interval] = []
        for part in try record.elements("intervals") {
            let span = try part.span
            if let last = intervals.last, span.start < last.span.end {
                throw part.error("it starts before the end of the one before it")
            }
            intervals.append(try interval(span, part))
        }
        guard !intervals.isEmpty else { throw record.error("\"intervals\" is empty") }
        return intervals
    }

    private static func interval(_ span: TimeSpan, _ part: PhoneRecord) throws -> Interval {
        guard let kind = Kind(rawValue: try part.text("kind")) else {
            throw part.error("\"kind\" is not \"stay\", \"move\", \"wait\" or \"unknown\"")
        }
        var interval = Interval(span, kind)
        if kind == .move, let mode = try part.optionalText("mode") {
            interval.mode = try TravelMode.logged(mode, in: part)
        }
        interval.isTravel = try part.optionalText("type").map { $0 == "TRAVEL" } ?? true
        if let trip = try part.optionalText("trip") {
            interval.leg = PhoneLegName(trip: trip, leg: try part.text("leg"))
        }
        return interval
    }
}

extension TravelMode {
    /// The mode of a name in a log, in any case.
    static func logged(_ name: String, in record: PhoneRecord) throws -> TravelMode {
        let key = name.lowercased()
        if let mode = TravelMode(rawValue: key), mode != .still { return mode }
        if let mode = loggedNames[key] { return mode }
        throw record.error("the mode \"\(name)\" is not known")
    }

    private static let loggedNames: [String: TravelMode] = [
        "walk": .walking, "run": .walking,
        "bicycling": .cycling, "bike": .cycling, "e_bike": .cycling, "escooter": .cycling,
        "car": .driving, "taxi": .driving, "bus": .driving,
        "train": .rail, "subway": .rail, "light_rail": .rail,
        "airplane": .air,
    ]
}
