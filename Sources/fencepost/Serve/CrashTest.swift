import FencepostService
import Foundation
import Synchronization

/// Kills the process at a point that a test chooses: `FENCEPOST_CRASH_AT=committed:12` at the twelfth commit.
final class CrashTest: Sendable {
    static let shared = CrashTest(ProcessInfo.processInfo.environment["FENCEPOST_CRASH_AT"])

    private let point: String
    private let left: Atomic<Int>

    private init?(_ text: String?) {
        guard let parts = text?.split(separator: ":"), parts.count == 2, let count = Int(parts[1]),
            MonitorWorker.CrashPoint(rawValue: String(parts[0])) != nil
                || HistoryService.CrashPoint(rawValue: String(parts[0])) != nil
        else { return nil }
        point = String(parts[0])
        left = Atomic(count)
    }

    func reached(_ point: some RawRepresentable<String>) {
        guard point.rawValue == self.point else { return }
        if left.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { kill(getpid(), SIGKILL) }
    }
}
