import FencepostGeometry

/// Formats numbers and durations for people.
package enum Prose {
    /// `1 234 567`, with narrow non-breaking spaces.
    package static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: "\u{202F}")
    }

    /// `45 s`, `12 min`, `3 h 10 min`, `2 d 4 h`: the two largest units.
    package static func duration(seconds: Double) -> String {
        let total = Int(clamped: seconds.rounded())
        if total < 60 { return "\(total) s" }
        if total < 600, total % 60 != 0 { return "\(total / 60) min \(total % 60) s" }
        let minutes = Int(clamped: (seconds / 60).rounded())
        if minutes < 60 { return "\(minutes) min" }
        if minutes < 1440 { return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min") }
        let hours = minutes / 60
        return "\(hours / 24) d" + (hours % 24 == 0 ? "" : " \(hours % 24) h")
    }

    /// Breaks a text between words so that it fits a width.
    ///
    /// - Parameters:
    ///   - text: without line breaks.
    ///   - width: columns of a line; `nil` for no limit. A word that is longer stays whole.
    ///   - used: columns that precede the text on the first line.
    ///   - indent: columns that precede it on the others.
    /// - Returns: the lines, without what precedes them.
    package static func lines(_ text: String, width: Int?, used: Int, indent: Int) -> [String] {
        guard let width, used + text.count > width else { return [text] }
        var lines: [String] = []
        var (line, column) = ("", used)
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let fits =
                line.isEmpty
                ? column + word.count <= width || column <= indent : column + line.count + 1 + word.count <= width
            if fits {
                line += (line.isEmpty ? "" : " ") + word
            } else {
                lines.append(line)
                (line, column) = (String(word), indent)
            }
        }
        return lines + [line]
    }

    /// Breaks the lines of a text so that they fit a width; what follows a break is four columns further in.
    package static func fitted(_ text: String, width: Int?) -> String {
        guard width != nil else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            let margin = String(line.prefix { $0 == " " })
            let parts = Self.lines(
                String(line.dropFirst(margin.count)), width: width, used: margin.count, indent: margin.count + 4)
            return margin + parts.joined(separator: "\n" + margin + "    ")
        }
        return lines.joined(separator: "\n")
    }

    package static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }
}
