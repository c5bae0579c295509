public import FencepostEngine
public import FencepostModel
public import FencepostMonitor
public import FencepostRegions
public import FencepostSimulator

/// The running monitor, as the HTTP API and MQTT use it.
public protocol Monitoring: Sendable {
    /// Evaluates and stores a submission; durable on return.
    ///
    /// - Throws: a `MonitorFailure`; nothing is stored then.
    nonisolated(nonsending) func submit(_ submission: Submission) async throws(MonitorFailure) -> SubmissionReceipt
    /// Evaluates and stores several submissions in their order, each alone; all are durable on return.
    ///
    /// - Returns: a result for each of them. Nothing is stored of one that failed.
    func submit(_ submissions: [Submission]) async -> [Result<SubmissionReceipt, MonitorFailure>]

    /// The current regions.
    func regions() -> RegionIndex
    /// The settings with which locations are evaluated, but for the alert rules.
    func monitorSettings() -> MonitorSettings

    /// Changes regions atomically: each location is evaluated against the old set or the new one. Durable on return.
    ///
    /// - Parameter edit: computes the change from the current regions. No other change happens in between.
    /// - Returns: the regions after the change.
    /// - Throws: what `edit` throws, or a `MonitorFailure`; nothing is changed then.
    func editRegions(
        _ edit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit
    ) async throws -> RegionCatalog

    /// The current apps.
    func apps() -> [WatchedApp]
    /// Changes apps atomically, as `editRegions`.
    func editApps(_ edit: @escaping @Sendable ([WatchedApp]) throws -> AppEdit) async throws
    /// Performs steps of a scenario with an app on all its devices; durable on return.
    ///
    /// - Returns: a report for each step; `nil` when there is no such app.
    func take(steps: [AppStep], app id: String) async throws -> [StepReport]?

    /// The status of a device; `nil` when it is not known.
    func device(_ id: DeviceID) -> DeviceStatus?
    /// The statuses of devices in the byte order of their ids.
    ///
    /// - Parameters:
    ///   - id: the last id of the page before; `nil` for the first page.
    ///   - region: returns only devices inside this region; `nil` for all.
    ///   - limit: the largest number of statuses to return.
    /// - Returns: the statuses; empty at the end.
    func devices(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus]
    /// The statuses that changed since a version, in the byte order of the ids. Removed devices are not among them.
    ///
    /// - Parameters:
    ///   - version: from an earlier call; 0 for all devices.
    ///   - id: the last id of the page before; `nil` for the first page.
    ///   - limit: the largest number of statuses to return.
    /// - Returns: the statuses and the current version.
    func devices(
        changedSince version: Int64, after id: DeviceID?, limit: Int
    ) -> (devices: [DeviceStatus], version: Int64)
    /// Removes a device's state. Its stored history stays.
    ///
    /// - Returns: whether the device was known.
    func forget(_ device: DeviceID) async throws -> Bool

    /// The alert rules of the configuration, which only it can change.
    func configuredAlerts() -> [AlertRule]

    /// The proximity rules of the configuration, with their groups.
    func configuredProximity() -> [ProximityRule]
    /// Takes over the rules and the groups that the store has now; durable on return. Locations that are submitted later are
    /// evaluated with them.
    ///
    /// - Throws: a `MonitorFailure`. The stored rules apply then as soon as the store writes again, or after the next start.
    func alertRulesDidChange() async throws

    /// Changes the fence of a device between two batches of submissions; durable on return.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - command: what is wanted.
    /// - Returns: the state of the fence, or why nothing was changed.
    /// - Throws: a `MonitorFailure`; nothing is changed then.
    func changeFence(of device: DeviceID, _ command: FenceCommand) async throws -> FenceAnswer

    /// Whether submissions are accepted now; otherwise with a short reason.
    func readiness() -> (isReady: Bool, reason: String?)
}

/// Why a submission or a change was refused. Nothing of it is stored.
public enum MonitorFailure: Error, Hashable, Sendable {
    /// The store does not write, for example on a full disk, or the inbox is full. The sender may try again.
    case storeUnavailable
    /// The state is being loaded.
    case starting
    /// The service is shutting down.
    case stopping
    /// The system's clock was not set since the start (rule D5).
    case clockNotSet
}

/// A change of regions.
public struct RegionEdit: Sendable {
    /// New and replaced regions.
    public var changed: [Region]
    /// Removed regions.
    public var removed: [RegionID]

    /// A change; without arguments, of nothing.
    public init(changed: [Region] = [], removed: [RegionID] = []) {
        self.changed = changed
        self.removed = removed
    }
}

/// A change of apps.
public struct AppEdit: Sendable {
    /// New and replaced apps, whose definitions `AppFile` has read without an error.
    public var changed: [StoredApp]
    /// Removed apps.
    public var removed: [String]

    /// A change; without arguments, of nothing.
    public init(changed: [StoredApp] = [], removed: [String] = []) {
        self.changed = changed
        self.removed = removed
    }
}

/// A step of a scenario to perform with an app.
public struct AppStep: Sendable {
    /// The step.
    public var step: Step
    /// The JSON object that defines it, which is stored.
    public var json: String

    /// A step with its JSON.
    public init(_ step: Step, json: String) {
        self.step = step
        self.json = json
    }
}
