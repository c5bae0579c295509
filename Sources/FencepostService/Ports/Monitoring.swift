public import FencepostEngine
public import FencepostModel
public import FencepostRegions
public import FencepostSimulator

/// The running monitor, as the HTTP API and other senders see it.
public protocol Monitoring: Sendable {
    /// Hands fixes over; returns when they are durable.
    func submit(_ submission: Submission) async throws(MonitorFailure) -> SubmissionReceipt

    /// The regions as of the last change.
    func regions() -> RegionIndex

    /// Changes regions in one step: no fix is judged by a part of the change, and on return it is durable.
    ///
    /// - Parameter edit: says what to change from the regions as they are then; nothing changes in between. It may throw,
    ///   and then nothing is changed.
    /// - Returns: the regions after the change.
    func editRegions(
        _ edit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit
    ) async throws -> RegionCatalog

    func apps() -> [WatchedApp]
    func editApps(_ edit: @escaping @Sendable ([WatchedApp]) throws -> AppEdit) async throws
    /// Takes steps of CONTRACT 6.2 with an app on every device that it is on; `nil` when there is no such app.
    ///
    /// - Parameter steps: each a JSON object that `ScenarioReader` has read without an error.
    func take(steps: [AppStep], app id: String) async throws -> [StepReport]?

    func device(_ id: DeviceID) -> DeviceStatus?
    /// Devices in the order of the bytes of their ids.
    func devices(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus]
    /// Devices that have changed since the board had a version, in the order of the bytes of their ids; those that were
    /// forgotten are not told.
    ///
    /// - Returns: them, and the version that the board has now.
    func devices(
        changedSince version: Int64, after id: DeviceID?, limit: Int
    ) -> (devices: [DeviceStatus], version: Int64)
    /// Forgets a device's state; what is stored of it stays.
    ///
    /// - Returns: whether it was known.
    func forget(_ device: DeviceID) async throws -> Bool

    /// Whether fixes are taken now, and if not, why, in a few words.
    func readiness() -> (isReady: Bool, reason: String?)
}

/// Why a submission or a change was not taken; nothing of it is stored.
public enum MonitorFailure: Error, Hashable, Sendable {
    /// The store does not write now (a full disk): try again.
    case storeUnavailable
    case starting, stopping
}

public struct RegionEdit: Sendable {
    public var changed: [Region]
    public var removed: [RegionID]

    public init(changed: [Region] = [], removed: [RegionID] = []) {
        self.changed = changed
        self.removed = removed
    }
}

public struct AppEdit: Sendable {
    /// JSON objects that `AppFile` has read without an error.
    public var changed: [StoredApp]
    public var removed: [String]

    public init(changed: [StoredApp] = [], removed: [String] = []) {
        self.changed = changed
        self.removed = removed
    }
}

public struct AppStep: Sendable {
    public var step: Step
    /// The object that it was read from.
    public var json: String

    public init(_ step: Step, json: String) {
        self.step = step
        self.json = json
    }
}
