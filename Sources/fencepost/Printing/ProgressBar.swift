import Foundation

/// How far a file is read: a bar on standard error when that is a terminal, else nothing.
struct ProgressBar {
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?

    /// - Parameter total: bytes to read; 0 when nobody knows.
    init(total: Int, isQuiet: Bool) {
        self.total = total
        // Events on the same terminal would be written through the bar.
        isShown = Console.isErrorTerminal && !Console.isOutputTerminal && !isQuiet
    }

    /// Draws at most ten times a second.
    mutating func update(bytes: Int, locations: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        let seconds = max((now - start).components.seconds, 1)
        var text = "\(grouped(locations)) locations, \(grouped(locations / Int(seconds)))/s"
        if total > 0 {
            let share = min(Double(bytes) / Double(total), 1)
            let filled = Int(share * 24)
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
            text = "\(bar) \(Int(share * 100)) %  \(text)"
            if share > 0.01 {
                text += ", \(Prose.duration(seconds: Double(seconds) * (1 - share) / share)) left"
            }
        }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    func clear() {
        guard isShown, lastDrawn != nil else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }

    private func grouped(_ number: Int) -> String { Prose.grouped(number) }
}

/// Numbers and spans as people write them.
enum Prose {
    /// `1 234 567`, with thin spaces that do not break.
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
