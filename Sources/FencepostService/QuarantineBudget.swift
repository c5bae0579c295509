public import FencepostModel
import Synchronization

/// How many rejected records are stored of one sender and day (rule L2). Others are answered as they are, and not stored.
///
/// It begins again with each start.
public final class QuarantineBudget: Sendable {
    /// Records of a sender and day, and those of which the location is stored, since only its time was refused.
    static let (rows, locations) = (10_000, 100_000)
    /// Bytes of these records' texts.
    static let bytes = 4 << 20

    private struct Used {
        var rows = 0
        var locations = 0
        var bytes = 0
    }

    private struct State {
        var day = Int64.min
        var used: [String: Used] = [:]
    }

    private let state = Mutex(State())

    /// A budget of which nothing is used.
    public init() {}

    /// Those of some records that may be stored.
    ///
    /// - Parameters:
    ///   - entries: the records.
    ///   - owner: the sender.
    ///   - now: the time.
    /// - Returns: those that may be stored, in their order.
    public func admitted(_ entries: [QuarantineEntry], of owner: String, at now: Timestamp) -> [QuarantineEntry] {
        guard !entries.isEmpty else { return [] }
        let day = now.milliseconds.floored(by: 86_400_000)
        return state.withLock { state in
            if state.day != day { state = State(day: day) }
            var used = state.used[owner] ?? Used()
            let admitted = entries.filter { entry in
                if entry.fix != nil {
                    used.locations += 1
                    return used.locations <= Self.locations
                }
                let size = entry.detail.utf8.count + entry.code.utf8.count
                guard used.rows < Self.rows, size <= Self.bytes - used.bytes else { return false }
                used.rows += 1
                used.bytes += size
                return true
            }
            state.used[owner] = used
            return admitted
        }
    }
}

extension Int64 {
    /// The greatest multiple of a positive number that is not greater, divided by it.
    fileprivate func floored(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
