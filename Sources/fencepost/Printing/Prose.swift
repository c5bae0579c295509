/// Formats numbers and durations for people.
enum Prose {
    /// `1 234 567`, with narrow non-breaking spaces.
    static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: "\u{202F}")
    }

    /// `45 s`, `12 min`, `3 h 10 min`, `2 d 4 h`: the two largest units.
    static func duration(seconds: Double) -> String {
        let total = Int(seconds.rounded())
        if total < 60 { return "\(total) s" }
        if total < 600, total % 60 != 0 { return "\(total / 60) min \(total % 60) s" }
        let minutes = Int((seconds / 60).rounded())
        if minutes < 60 { return "\(minutes) min" }
        if minutes < 1440 { return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min") }
        let hours = minutes / 60
        return "\(hours / 24) d" + (hours % 24 == 0 ? "" : " \(hours % 24) h")
    }

    static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }
}
