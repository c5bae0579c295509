import FencepostService
import Foundation
import Synchronization

/// Where a node of a cluster can be killed by a test.
enum NodeCrashPoint: String, CaseIterable {
    /// After each record of a leader, before its transaction is committed.
    case appended
    /// After a follower has applied records.
    case applied
    /// After a leader has appended the record by which it leads, before its service is started.
    case led
    /// After a leader has given its lease back, perhaps to a certain node.
    case handedOver
}

/// Kills the process at a point that a test chooses: `FENCEPOST_CRASH_AT=committed:12` at the twelfth commit.
final class CrashTest: Sendable {
    static let shared = CrashTest(ProcessInfo.processInfo.environment["FENCEPOST_CRASH_AT"])

    private let point: String
    private let left: Atomic<Int>

    private init?(_ text: String?) {
        guard let parts = text?.split(separator: ":"), parts.count == 2, let count = Int(parts[1]),
            MonitorWorker.CrashPoint(rawValue: String(parts[0])) != nil
                || HistoryService.CrashPoint(rawValue: String(parts[0])) != nil
                || NodeCrashPoint(rawValue: String(parts[0])) != nil
        else { return nil }
        point = String(parts[0])
        left = Atomic(count)
    }

    /// Has a fault when certain work begins, for tests: `FENCEPOST_CRASH_AT=fault:history:bus-1`. Without one `nil`.
    static let plantedFault: (@Sendable (WorkJournal.Work, String) -> Void)? = {
        guard let text = ProcessInfo.processInfo.environment["FENCEPOST_CRASH_AT"], text.hasPrefix("fault:") else {
            return nil
        }
        return { work, id in
            // A record's position, without its cluster.
            let id = work == .record ? String(id.prefix { $0 != " " }) : id
            guard text == "fault:\(work):\(id)" || text == "fault:any:\(id)" else { return }
            fatalError("a test has asked for it")
        }
    }()

    func reached(_ point: some RawRepresentable<String>) {
        guard point.rawValue == self.point else { return }
        if left.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { kill(getpid(), SIGKILL) }
    }
}
