import FencepostFormats
import FencepostModel
import Metrics
import Synchronization

/// The worker's metrics (rule O6). Labels never contain names that users choose.
final class WorkerMetrics: Sendable {
    private struct Key: Hashable {
        let name: String
        let labels: [String]
    }

    private let counters = Mutex<[Key: Counter]>([:])
    private let evaluation = Timer(label: "fencepost_evaluation_duration_seconds")
    private let delay = Timer(label: "fencepost_event_delay_seconds")
    private let failures = Counter(label: "fencepost_storage_failures_total")
    private let fixesOfTwoPhones = Counter(label: "fencepost_second_phone_locations_total")

    init() {
        // Counters exist from the start, so that a rate has a first value of 0.
        for type in EventType.allCases { count("fencepost_events_total", [("type", type.rawValue)], by: 0) }
        for code in RejectionCode.allCases { count("fencepost_quarantine_total", [("code", code.rawValue)], by: 0) }
    }

    private func count(_ name: String, _ labels: [(String, String)], by amount: Int) {
        let key = Key(name: name, labels: labels.map(\.1))
        let counter = counters.withLock { counters in
            if let counter = counters[key] { return counter }
            let counter = Counter(label: name, dimensions: labels)
            counters[key] = counter
            return counter
        }
        counter.increment(by: amount)
    }

    func evaluated(in span: Duration) { evaluation.recordNanoseconds(span.nanoseconds) }
    func delayed(by span: Duration) { delay.recordNanoseconds(span.nanoseconds) }
    /// Imported fixes.
    func imported(_ receipt: SubmissionReceipt) {
        let name = "fencepost_ingest_locations_total"
        count(name, [("format", "import"), ("outcome", "accepted")], by: receipt.accepted)
        count(name, [("format", "import"), ("outcome", "duplicate")], by: receipt.duplicates)
    }

    func storeFailed() { failures.increment() }

    func committed(_ batch: EvaluatedBatch, of submissions: [Submission] = []) {
        let (commit, receipts) = (batch.commit, batch.receipts)
        if batch.fixesOfTwoPhones > 0 { fixesOfTwoPhones.increment(by: batch.fixesOfTwoPhones) }
        var formats: [String: (receipt: SubmissionReceipt, rejected: Int)] = [:]
        for (submission, receipt) in zip(submissions, receipts) {
            var sum = formats[submission.format] ?? (SubmissionReceipt(), 0)
            sum.receipt.accepted += receipt.accepted
            sum.receipt.late += receipt.late
            sum.receipt.duplicates += receipt.duplicates
            sum.rejected += submission.quarantined.count
            formats[submission.format] = sum
        }
        for (format, sum) in formats {
            let name = "fencepost_ingest_locations_total"
            // All outcomes of a format appear with its first request, zeros too.
            count(name, [("format", format), ("outcome", "accepted")], by: sum.receipt.accepted - sum.receipt.late)
            count(name, [("format", format), ("outcome", "late")], by: sum.receipt.late)
            count(name, [("format", format), ("outcome", "duplicate")], by: sum.receipt.duplicates)
            count(name, [("format", format), ("outcome", "rejected")], by: sum.rejected)
        }
        for entry in commit.quarantined { count("fencepost_quarantine_total", [("code", entry.code)], by: 1) }
        var types: [String: Int] = [:]
        for index in commit.events.indices { types[commit.events[index].type, default: 0] += 1 }
        for (type, sum) in types { count("fencepost_events_total", [("type", type)], by: sum) }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
