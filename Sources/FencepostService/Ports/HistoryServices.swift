public import FencepostGeometry
public import FencepostModel

/// Imports and evaluations of history, as the HTTP API and commands use them.
public protocol HistoryServices: Sendable {
    /// Stores the fixes of a file without an effect on live ingest, and evaluates the history of their devices.
    ///
    /// `id`: `imp_…` of the import.
    /// `name`: name of the file.
    /// `quarantined`: rejected records, which are stored too.
    /// `owner`: the only device that the caller may see; `nil` for all.
    ///
    /// - Throws: a `MonitorFailure`, or an error of the store; nothing is stored then.
    func importFile(
        _ file: HistoryFile, id: String, name: String?, quarantined: [QuarantineEntry], owner: DeviceID?
    ) async throws -> ImportOutcome
    /// Stages a file part by part, so that it is stored in the background, also after a restart. Its memory is that of a part.
    ///
    /// - Parameters:
    ///   - job: the import; its numbers are those of the parts at the end.
    ///   - first: the first part.
    ///   - quarantined: the records to be stored that the whole file has rejected, by its last part.
    ///   - next: reads the next part; `nil` at the end. What it throws ends the import, and nothing of it is stored.
    /// - Returns: the import, which goes on.
    /// - Throws: what `next` throws, or an error of the store; nothing is stored then.
    func importParts(
        _ job: ImportJob, first: HistoryFile, quarantined: @Sendable (HistoryFile) -> [QuarantineEntry],
        next: @Sendable () async throws -> HistoryFile?
    ) async throws -> ImportJob
    /// What an import of the file would do. Nothing is stored.
    ///
    /// `withLines`: whether to compute a line of each device, for a map.
    func preview(_ file: HistoryFile, withLines: Bool) async throws -> ImportPreview
    /// An import that takes long; `nil` when there is none.
    func importJob(_ id: String) async throws -> ImportJob?
    /// The imports that took long, the newest first.
    func imports(limit: Int) async throws -> [ImportJob]
    /// How much of an import is done, 0 to 1.
    func progress(of job: ImportJob) async throws -> Double
    /// Cancels an import. What is stored stays.
    ///
    /// - Returns: whether it was under way.
    func cancelImport(_ id: String) async throws -> Bool
    /// All that is set aside, by kind and id.
    func setAside() async throws -> [SetAside]
    /// Lets an import go on that was set aside.
    ///
    /// - Returns: whether it was set aside.
    func releaseImport(_ id: String) async throws -> Bool
    /// Evaluates what is stored of a device that is set aside, and then the device as any other.
    ///
    /// - Returns: whether it was set aside.
    func release(_ device: DeviceID) async throws -> Bool
    /// Evaluates the history of a device again from a time on.
    func requestEvaluation(_ task: EvaluationTask) async throws
    /// The evaluation of a device that waits or runs; `nil` without one.
    func evaluation(of device: DeviceID) async throws -> EvaluationTask?
}

/// The result of an import request.
public enum ImportOutcome: Sendable {
    /// It is done; with the number of events by type that it brought about.
    case done(SubmissionReceipt, events: [String: Int])
    /// It continues in the background.
    case queued(ImportJob)
}

/// What an import would do.
public struct ImportPreview: Hashable, Sendable {
    /// Fixes that would be stored, and those that would not: stored already, or earlier in the file.
    public var receipt = SubmissionReceipt()
    /// Of the duplicates those that are equal to an earlier fix of the file, and not stored yet.
    public var repeated = 0
    /// Events by type that it would bring about; `nil` for a file that is too large for that.
    public var events: [String: Int]?
    /// What the file has of each device, those with the most fixes first; at most 50, and empty unless it was asked for.
    public var devices: [Device] = []

    /// The fixes of one device in a file.
    public struct Device: Hashable, Sendable {
        /// The device.
        public var id: DeviceID
        /// Number of its fixes.
        public var locations: Int
        /// The time of the first one.
        public var from: Timestamp
        /// The time of the last one.
        public var to: Timestamp
        /// At most 400 of its positions in the order of time, the first and the last among them.
        public var line: [Coordinate]

        /// `fixes`: by time, at least one.
        init(_ id: DeviceID, _ fixes: [Location]) {
            (self.id, locations) = (id, fixes.count)
            (from, to) = (fixes[0].timestamp, fixes[fixes.count - 1].timestamp)
            let count = min(fixes.count, 400)
            line = (0..<count).map { fixes[count == 1 ? 0 : $0 * (fixes.count - 1) / (count - 1)].coordinate }
        }
    }

    /// A preview of nothing.
    public init() {}
}
