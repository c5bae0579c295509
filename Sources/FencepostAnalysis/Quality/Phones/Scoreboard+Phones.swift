import FencepostGeometry
import FencepostModel

extension Scoreboard {
    /// Adds a table of the stays of phones: one row for each score.
    public mutating func addPhoneStays(_ title: String, _ scores: [(name: String, score: PhoneStayScore)]) {
        text += "\n\(title)\n\n"
        let header = [
            "stays", "phones", "true", "F1", "missed", "false", "splits", "arrival p50", "p90", "worst",
            "departure p50", "p90", "worst", "worst phone",
        ]
        addTable(
            header,
            scores.map { name, score in
                [
                    name, String(score.phones), String(score.required), Self.decimal(score.f1), String(score.missed),
                    String(score.spurious), String(score.splits),
                ] + Self.quantiles(score.arrivalError) + Self.quantiles(score.departureError) + [Self.worst(of: score)]
            })
    }

    /// Adds a table of the phones that lie still: a required stay that was found is right.
    public mutating func addStillPhones(_ title: String, _ scores: [(name: String, score: PhoneStayScore)]) {
        text += "\n\(title)\n\n"
        addTable(
            ["phones that lie still", "phones", "right", "false", "splits", "worst phone"],
            scores.map { name, score in
                [
                    name, String(score.phones), "\(score.found) of \(score.required)", String(score.spurious),
                    String(score.splits), score.missed + score.spurious > 0 ? Self.worst(of: score) : "–",
                ]
            })
    }

    /// Adds a table of the modes of legs: one row for each score.
    public mutating func addPhoneLegs(_ title: String, _ scores: [(name: String, score: PhoneLegScore)]) {
        text += "\n\(title)\n\n"
        let modes = Self.modes(in: scores.map { $0.score.modes.keys })
        addTable(
            ["modes of legs", "right", "share", "mean of modes"] + modes.map(\.rawValue) + ["worst"],
            scores.map { name, score in
                [
                    name, "\(score.all.right) of \(score.all.legs)", Self.decimal(score.all.fraction),
                    Self.decimal(score.meanOfModes),
                ] + modes.map { mode in score.modes[mode].map { "\($0.right) of \($0.legs)" } ?? "–" } + [
                    score.worstMode.map { "\($0.name) \($0.count.right) of \($0.count.legs)" } ?? "–"
                ]
            })
    }

    /// Adds a table of the errors of lengths: one row for all legs, and one for each mode in the log.
    public mutating func addPhoneLengths(_ title: String, _ score: PhoneLegScore) {
        text += "\n\(title)\n\n"
        func row(_ name: String, _ lengths: PhoneLegScore.Lengths, _ worst: String) -> [String] {
            [
                name, String(lengths.errors.count), Self.signedPercent(lengths.bias),
                Self.signedPercent(lengths.error(0.5), sign: ""), Self.signedPercent(lengths.error(0.9), sign: ""),
                Self.signedPercent(lengths.error(1), sign: ""), worst,
            ]
        }
        addTable(
            ["lengths", "legs", "bias", "error p50", "p90", "worst", "route with the largest bias"],
            [row("all", score.lengths, "–")]
                + score.lengthsByMode.sorted { $0.key < $1.key }.map { mode, lengths in
                    let route = score.worstRoute(of: mode)
                    return row(mode, lengths, route.map { "\($0.name) \(Self.signedPercent($0.bias))" } ?? "–")
                })
    }

    /// Adds a table of the time of whole days with the right mode.
    public mutating func addPhoneDays(_ title: String, _ scores: [(name: String, score: PhoneDayScore)]) {
        text += "\n\(title)\n\n"
        let modes = Self.modes(in: scores.map { $0.score.modes.keys })
        addTable(
            ["time with the right mode", "phones", "hours", "share", "mean of modes"] + modes.map(\.rawValue)
                + ["worst phone"],
            scores.map { name, score in
                [
                    name, String(score.phones), Self.decimal(score.all.seconds / 3600, digits: 1),
                    Self.decimal(score.all.fraction), Self.decimal(score.meanOfModes),
                ] + modes.map { mode in score.modes[mode].map { Self.decimal($0.fraction) } ?? "–" } + [
                    score.worst.map { "\($0.device) \(Self.decimal($0.fraction))" } ?? "–"
                ]
            })
    }

    /// Adds a table of the presences at real places: one row for each mode of crossings.
    public mutating func addPhonePlaces(_ title: String, _ scores: [(name: String, score: PhonePlaceScore)]) {
        text += "\n\(title)\n\n"
        let header = [
            "presences at places", "events", "found", "of those that 80 % of the fixes show", "flaps", "false",
            "late entries", "entry p50", "p90", "worst", "late exits", "exit p50", "p90", "worst", "worst place",
        ]
        addTable(
            header,
            scores.map { name, score in
                [
                    name, String(score.events), "\(score.found) of \(score.required)",
                    "\(score.shownFound) of \(score.shown)", String(score.flaps), String(score.spurious),
                    "\(score.lateEntries) of \(score.entryDelays.count)",
                ] + Self.quantiles(score.entryDelay) + ["\(score.lateExits) of \(score.exitDelays.count)"]
                    + Self.quantiles(score.exitDelay) + [score.worst.map { "\($0.name) \($0.losses)" } ?? "–"]
            })
    }

    private static func worst(of score: PhoneStayScore) -> String {
        score.worst.map { "\($0.device) \($0.missed) missed, \($0.spurious) false" } ?? "–"
    }

    /// The modes that any of the scores has, in their own order.
    private static func modes(in scores: [some Sequence<TravelMode>]) -> [TravelMode] {
        let found = Set(scores.flatMap { $0 })
        return TravelMode.allCases.filter(found.contains)
    }

    /// The median, the 90 % quantile and the largest of a number of seconds.
    private static func quantiles(_ quantile: (Double) -> Double?) -> [String] {
        [0.5, 0.9, 1].map { fraction in quantile(fraction).map { signed($0, digits: 0, sign: "") + " s" } ?? "–" }
    }

    /// A relative error in percent.
    private static func signedPercent(_ fraction: Double?, sign: String = "+") -> String {
        fraction.map { signed($0 * 100, digits: 1, sign: sign) + " %" } ?? "–"
    }

    /// A number with a minus, or with the sign of a positive one.
    private static func signed(_ value: Double, digits: Int, sign: String) -> String {
        let scaled = digits == 0 ? value.rounded() : (value * 10).rounded() / 10
        let number =
            digits == 0 ? String(Int(clamped: scaled.magnitude)) : decimal(scaled.magnitude, digits: digits)
        return (scaled < 0 ? "−" : scaled > 0 ? sign : "") + number
    }
}
