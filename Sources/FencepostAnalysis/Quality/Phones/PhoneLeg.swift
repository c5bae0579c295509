public import FencepostModel

/// A leg of a trip in a log, by the names of both.
public struct PhoneLegName: Hashable, Sendable {
    public var trip, leg: String

    /// A trip of one leg has `whole` as the leg's name, or its own.
    public init(trip: String, leg: String) {
        self.trip = trip
        self.leg = leg == "whole" ? trip : leg
    }
}

/// The fixes of one leg whose mode, and mostly whose length, is known.
public struct PhoneLeg: Sendable {
    /// Another one for each leg, so that no visit divides it from what is before and after.
    public var device: DeviceID
    public var mode: TravelMode
    /// The mode in the log, such as `LIGHT_RAIL`, and the name of the route.
    public var loggedMode, route: String
    /// Metres along the true route; `nil` if it is not known.
    public var length: Double?
    /// In the order of time; at least one.
    public var fixes: [Location]

    /// A leg whose fixes are in the order of time, one parameter for each property because they have no order of their own.
    public init(
        device: DeviceID, mode: TravelMode, loggedMode: String, route: String, length: Double?, fixes: [Location]
    ) {
        self.device = device
        self.mode = mode
        self.loggedMode = loggedMode
        self.route = route
        self.length = length
        self.fixes = fixes
    }

    /// Reads `legs.json`; `docs/quality.md` has its members.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its name in errors.
    /// - Returns: the legs in the order of the file.
    /// - Throws: `BenchmarkError` with the leg and the member.
    public static func read(_ bytes: some Collection<UInt8>, file: String) throws -> [PhoneLeg] {
        var known: Set<DeviceID> = []
        return try PhoneRecord.all(in: bytes, file: file, named: "leg").map { record in
            let device = try record.device(&known)
            let mode = try record.text("mode")
            let length = try record.optionalNumber("length")
            if let length, !(length > 0) { throw record.error("\"length\" is not above 0") }
            return PhoneLeg(
                device: device, mode: try TravelMode.logged(mode, in: record), loggedMode: mode,
                route: try record.text("leg"), length: length, fixes: try record.fixes(of: device))
        }
    }

    /// The same leg with fewer fixes: each is at least this number of seconds after the one before.
    public func thinned(to seconds: Double) -> PhoneLeg {
        var copy = self
        copy.fixes = fixes.thinned(to: seconds)
        return copy
    }
}
