import FencepostEngine
import FencepostFormats
import FencepostJSON
public import FencepostModel
import FencepostMonitor
import Synchronization

extension HistoryService: HistoryServices {
    /// How long a request waits for the evaluation of a file.
    static let atOnceTime = Duration.seconds(10)
    /// Reports of phones that are stored of one file.
    static let reportLimit = 100_000
    /// Fixes of one device that a preview evaluates.
    static let previewLimit = 200_000

    public func importFile(
        _ file: HistoryFile, id: String, name: String?, quarantined: [QuarantineEntry], owner: DeviceID?
    ) async throws -> ImportOutcome {
        let locations = file.submission.locations
        var job = ImportJob(
            id: id, file: name, format: file.submission.format, createdAt: worker.clock.now(),
            locations: locations.count, ignored: file.ignored, rejected: file.rejectedJSON)
        (job.deviceID, job.dropped) = (owner, file.dropped.counts)
        guard locations.count <= limits.atOnce else {
            let wanted = job
            job = try await importParts(wanted, first: file, quarantined: { _ in quarantined }) { nil }
            guard locations.count <= limits.wait, let done = try await finished(job.id) else { return .queued(job) }
            return .done(SubmissionReceipt(accepted: done.stored, duplicates: done.duplicates), events: done.events)
        }
        var slice = ImportSlice()
        slice.locations = locations
        slice.reports = file.submission.reports
        slice.quarantined = quarantined
        slice.job = (id, nil)
        guard !locations.isEmpty || !slice.reports.isEmpty || !slice.quarantined.isEmpty else {
            return .done(SubmissionReceipt(), events: [:])
        }
        counts.withLock { $0[id] = [:] }
        defer { counts.withLock { $0[id] = nil } }
        guard case .archived(let receipt) = try await worker.take(.archive(slice)) else {
            preconditionFailure("the answer to a slice is its receipt")
        }
        file.dropped.countInMetrics()
        let devices = Set(locations.map(\.deviceID))
        guard receipt.accepted > 0 else { return .done(receipt, events: [:]) }
        if try await waitUntilEvaluated(devices, atMost: Self.atOnceTime) {
            return .done(receipt, events: counts.withLock { $0[id] ?? [:] })
        }
        job.state = .evaluating
        (job.stored, job.duplicates) = (receipt.accepted, receipt.duplicates)
        job.events = counts.withLock { $0[id] ?? [:] }
        try await store.add(job)
        return .queued(job)
    }

    /// Waits for a queued import, and at most as long as a request waits.
    ///
    /// - Returns: `nil` when it is not done by then.
    private func finished(_ id: String) async throws -> ImportJob? {
        let deadline = uptime() + Self.atOnceTime
        while uptime() < deadline {
            if let job = try await importJob(id), job.state == .done { return job }
            try await sleep(.milliseconds(20))
        }
        return nil
    }

    /// Imports a file and waits until its history is evaluated, for a command.
    ///
    /// - Parameters:
    ///   - first: the file, or its first part.
    ///   - name: its name; `nil` for standard input.
    ///   - next: reads the part after the one before; called until one is complete.
    /// - Returns: the last part, and what was stored.
    /// - Throws: as `importFile`, and what `next` throws; nothing of the file is stored then.
    public func importCompletely(
        _ first: HistoryFile, name: String?, next: @Sendable () async throws -> HistoryFile
    ) async throws -> (last: HistoryFile, receipt: SubmissionReceipt, events: [String: Int]) {
        var identity = Identity()
        identity.add(name ?? "")
        identity.add(worker.clock.now().milliseconds)
        identity.add(Int64.random(in: .min ... .max))
        let id = identity.text(prefix: "imp_")
        let last = Mutex(first)
        var job: ImportJob
        if first.isComplete {
            switch try await importFile(first, id: id, name: name, quarantined: [], owner: nil) {
            case .done(let receipt, let events): return (first, receipt, events)
            case .queued(let queued): job = queued
            }
        } else {
            let wanted = ImportJob(
                id: id, file: name, format: first.submission.format, createdAt: worker.clock.now(), locations: 0,
                ignored: 0, rejected: "[]")
            job = try await importParts(wanted, first: first, quarantined: { _ in [] }) {
                guard !last.withLock({ $0.isComplete }) else { return nil }
                let part = try await next()
                last.withLock { $0 = part }
                return part
            }
        }
        while job.state != .done, job.state != .cancelled {
            try await sleep(.milliseconds(100))
            if isPaused { throw MonitorFailure.storeUnavailable }
            guard let current = try await importJob(job.id) else { break }
            job = current
        }
        let receipt = SubmissionReceipt(accepted: job.stored, duplicates: job.duplicates)
        return (last.withLock { $0 }, receipt, job.events)
    }

    public func importParts(
        _ job: ImportJob, first: HistoryFile, quarantined: @Sendable (HistoryFile) -> [QuarantineEntry],
        next: @Sendable () async throws -> HistoryFile?
    ) async throws -> ImportJob {
        var (job, part, number) = (job, first, 0)
        var reports: [PhoneReport] = []
        job.locations = 0
        try await store.add(job)
        do {
            while true {
                let fixes = part.submission.locations
                for start in stride(from: 0, to: fixes.count, by: limits.slice) {
                    try Task.checkCancellation()
                    let slice = Array(fixes[start..<min(start + limits.slice, fixes.count)])
                    try await store.stage(slice, number: number, of: job.id)
                    number += 1
                }
                job.locations += fixes.count
                reports += part.submission.reports.prefix(Self.reportLimit - reports.count)
                guard let following = try await next() else { break }
                part = following
            }
            (job.format, job.ignored, job.rejected) = (part.submission.format, part.ignored, part.rejectedJSON)
            job.dropped = part.dropped.counts
            try await store.begin(job)
            part.dropped.countInMetrics()
            job.state = .storing
        } catch {
            _ = try? await store.cancelImport(job.id)
            throw error
        }
        let refused = quarantined(part)
        if !reports.isEmpty || !refused.isEmpty {
            var rest = ImportSlice()
            (rest.reports, rest.quarantined) = (reports, refused)
            _ = try await worker.take(.archive(rest))
        }
        worker.notices.history.raise()
        return job
    }

    /// Whether imports wait for the store to write again.
    private var isPaused: Bool {
        if case .storeUnavailable? = worker.refusal { true } else { false }
    }

    public func importJob(_ id: String) async throws -> ImportJob? {
        guard var job = try await store.importJob(id), job.state != .staging else { return nil }
        if isPaused, job.state == .storing { job.state = .paused }
        return job
    }

    public func imports(limit: Int) async throws -> [ImportJob] {
        let isPaused = isPaused
        return try await store.imports(limit: limit).map { job in
            var job = job
            if isPaused, job.state == .storing { job.state = .paused }
            return job
        }
    }

    public func progress(of job: ImportJob) async throws -> Double {
        switch job.state {
        case .staging: return 0
        case .done, .cancelled: return 1
        case .storing, .paused:
            return Double(job.stored + job.duplicates) / Double(max(job.locations, 1)) / 2
        case .evaluating:
            let evaluated = try await store.evaluationProgress(ofImport: job.id) ?? 1
            return 0.5 + evaluated / 2
        }
    }

    public func cancelImport(_ id: String) async throws -> Bool {
        let wasUnderWay = try await store.cancelImport(id)
        if wasUnderWay { _ = try await worker.take(.release(id)) }
        return wasUnderWay
    }

    public func setAside() async throws -> [SetAside] { try await store.setAside() }

    public func releaseImport(_ id: String) async throws -> Bool {
        guard try await store.releaseImport(id) else { return false }
        worker.journal.settle(.import, id)
        worker.notices.history.raise()
        return true
    }

    public func release(_ device: DeviceID) async throws -> Bool {
        guard case .done = try await worker.take(.releaseDevice(device)) else { return false }
        worker.journal.settle(.device, device.rawValue)
        return true
    }

    public func requestEvaluation(_ task: EvaluationTask) async throws {
        _ = try await worker.take(.request(task))
    }

    public func evaluation(of device: DeviceID) async throws -> EvaluationTask? {
        try await store.evaluation(of: device)
    }

    // MARK: Preview

    public func preview(_ file: HistoryFile, withLines: Bool) async throws -> ImportPreview {
        var preview = ImportPreview()
        preview.events = [:]
        let groups = Dictionary(grouping: file.submission.locations, by: \.deviceID)
        if withLines {
            let largest = groups.sorted { ($1.value.count, $0.key.rawValue) < ($0.value.count, $1.key.rawValue) }
            preview.devices = largest.prefix(50).map { ImportPreview.Device($0.key, $0.value) }
        }
        for (device, fixes) in groups.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let result = try await self.preview(fixes, of: device)
            preview.receipt.accepted += result.stored
            preview.receipt.duplicates += fixes.count - result.stored
            preview.repeated += result.repeated
            if let events = result.events {
                preview.events?.merge(events, uniquingKeysWith: +)
            } else {
                preview.events = nil
            }
        }
        return preview
    }

    private func preview(
        _ fixes: [Location], of device: DeviceID
    ) async throws -> (stored: Int, repeated: Int, events: [String: Int]?) {
        let stored = try await worker.store.stored(among: fixes.map { FixKey($0) })
        var known = stored
        let new = fixes.filter { known.insert(FixKey($0)).inserted }
        let repeated = fixes.count { !stored.contains(FixKey($0)) } - new.count
        guard let first = new.map(\.timestamp).min(), let last = new.map(\.timestamp).max() else { return (0, 0, [:]) }
        guard case .following(let following) = try await worker.take(.follow(device)) else {
            preconditionFailure("the answer to follow is what to start with")
        }
        // Its evaluation may end the process.
        guard !following.isAside else { return (new.count, repeated, nil) }
        let end = max(following.releasedThrough, last)
        var input = try await store.evaluationInput(
            of: device, from: first, through: end, limit: Self.previewLimit)
        guard input.isComplete, input.fixes.count + new.count <= Self.previewLimit else {
            return (new.count, repeated, nil)
        }
        guard !input.isIncomplete else { return (new.count, repeated, [:]) }
        input.fixes = (input.fixes + new).sorted { $0.timestamp < $1.timestamp }
        let task = EvaluationTask(device, from: first, through: last, receivedAt: last, cause: .import)
        let chunk = try HistoryChunk(input, of: task, try await timeline(input, task, following), eventLimit: .max)
        let held = input.events.filter { chunk.includes($0.detectedAt) && $0.detectedAt <= end }
        let comparison = EventComparison(held, chunk.events)
        var events: [String: Int] = [:]
        for addition in comparison.added { events[addition.event.occurrence.type.rawValue, default: 0] += 1 }
        if !comparison.withdrawn.isEmpty { events["event.retracted"] = comparison.withdrawn.count }
        return (new.count, repeated, events)
    }
}

extension HistoryFile {
    /// The rejected records as a JSON array.
    var rejectedJSON: String {
        var writer = JSONWriter()
        writer.value(rejectedOf: self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
