import FencepostAppCommands
import FencepostGeometry
import FencepostModel
import Foundation

/// Shows the progress of reading files on standard error, if it is a terminal.
struct ProgressBar {
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?

    /// A bar for a number of bytes to read; 0 when unknown.
    init(total: Int, isQuiet: Bool) {
        self.total = total
        // Events on the same terminal would overwrite the bar.
        isShown = Console.isErrorTerminal && !Console.isOutputTerminal && !isQuiet
    }

    /// Redraws at most ten times a second.
    mutating func update(bytes: Int, locations: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        let seconds = max((now - start).components.seconds, 1)
        var text = "\(grouped(locations)) locations, \(grouped(locations / Int(seconds)))/s"
        if total > 0 {
            let fraction = min(Double(bytes) / Double(total), 1)
            let filled = Int(clamped: fraction * 24)
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
            text = "\(bar) \(Int(clamped: fraction * 100)) %  \(text)"
            if fraction > 0.01 {
                text += ", \(Prose.duration(seconds: Double(seconds) * (1 - fraction) / fraction)) left"
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
