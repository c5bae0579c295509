import FencepostGeometry

extension Duration {
    /// A number of seconds, rounded to the millisecond; `nil` beyond 1000 years.
    init?(wholeOrFractionalSeconds seconds: Double) {
        guard seconds.magnitude < 3.2e10 else { return nil }
        self = .milliseconds(Int64(clamped: (seconds * 1000).rounded()))
    }

    /// Parses an ISO 8601 duration of weeks, days, hours, minutes and seconds: `PT5M`, `P1DT12H`, `PT1.5H`, `P2W`.
    ///
    /// - Returns: `nil` for anything else, including years and months, whose length depends on the date.
    public init?(iso8601 text: String) {
        var rest = text[...]
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var units: [(Character, Double)] = [("W", 604_800), ("D", 86_400)]
        var seconds = 0.0
        var isTime = false
        while !rest.isEmpty {
            if rest.first == "T" {
                guard !isTime, rest.count > 1 else { return nil }
                isTime = true
                units = [("H", 3600), ("M", 60), ("S", 1)]
                rest.removeFirst()
            }
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
            rest = rest[digits.endIndex...]
            // The units come in this order, each at most once, and only the last may have a fraction.
            guard let letter = rest.popFirst(), let unit = units.firstIndex(where: { $0.0 == letter }),
                digits.first?.isNumber == true, digits.last?.isNumber == true,
                let value = Double(digits.replacing(",", with: ".")),
                rest.isEmpty || digits.allSatisfy(\.isNumber)
            else { return nil }
            seconds += value * units[unit].1
            units.removeFirst(unit + 1)
        }
        self.init(wholeOrFractionalSeconds: seconds)
    }
}
