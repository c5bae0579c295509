import FencepostModel

/// The result of evaluating a batch of submissions, or of a change: what to store, answer and publish.
struct EvaluatedBatch: Sendable {
    /// One per submission.
    var receipts: [SubmissionReceipt] = []
    var commit: Commit
    /// Published once the commit is durable.
    var statusDelta = StatusDelta()
    /// Of submissions with a trace and with events: the indices of their events in the commit, by the submission's number.
    var eventsByCause: [Int: Range<Int>] = [:]
    /// The number of accepted fixes of ids that two phones have.
    var fixesOfTwoPhones = 0

    /// Adds what a submission has besides its locations, and the result of these.
    ///
    /// - Parameters:
    ///   - submission: the submission.
    ///   - receipt: its result.
    ///   - first: the index of its first event in the commit, which ends with its last one.
    mutating func add(_ submission: Submission, _ receipt: SubmissionReceipt, eventsFrom first: Int) {
        commit.livePositions += submission.livePositions
        commit.quarantined += submission.quarantined
        commit.reports += submission.reports
        if submission.traceparent != nil, commit.events.count > first {
            eventsByCause[receipts.count] = first..<commit.events.count
        }
        receipts.append(receipt)
    }

    /// Whether it must be written as a commit of its own. Otherwise there are at most checkpoints to write.
    var isCommit: Bool {
        commit.isLogged || !commit.events.isEmpty || !commit.livePositions.isEmpty || !commit.quarantined.isEmpty
            || !commit.reports.isEmpty || changesHistory
    }

    private var changesHistory: Bool {
        commit.revision != nil || !commit.imported.isEmpty || !commit.evaluations.isEmpty
            || !commit.finishedEvaluations.isEmpty || commit.importProgress != nil
            || !commit.released.isEmpty || !commit.restored.isEmpty || !commit.fenceRecords.isEmpty
            || !commit.proximity.isEmpty || !commit.proximityTasks.isEmpty || !commit.finishedProximity.isEmpty
    }

    /// Whether there is anything to write.
    var needsWrite: Bool { isCommit || !commit.checkpoints.isEmpty }
}
