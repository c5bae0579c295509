import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import FencepostSimulator
import FencepostStore
import Foundation
import Logging
import ServiceLifecycle

/// Keeps the configuration in the database of a partition, and in its monitor and dispatcher, as the cluster has it.
///
/// It reads the configuration's database on its own node, which follows its log or leads it. What it writes is in the
/// partition's own log, as any other change.
actor ConfigurationMirror: ServiceLifecycle.Service {
    /// Where the configuration is on this node.
    struct Source: Sendable {
        /// The path of its database.
        let path: String
        /// The position of its log that the database has applied, or is about to.
        let position: @Sendable () -> UInt64
        /// Raised when the position may have changed.
        let changes: EventSignal
        /// Turns an endpoint off in the configuration, as a partition has. It is called again until it has happened.
        let disable: @Sendable (Endpoint) async throws -> Void
    }

    /// What changes with it.
    struct Targets: Sendable {
        let assembly: ServiceAssembly
        let endpointsDidChange: @Sendable () async throws -> Void
        let accessDidChange: @Sendable () async throws -> Void
    }

    /// The service ends before it has the configuration that is waited for.
    struct Ended: Error {}

    /// Until a record is in the database that its leader has appended to the log.
    private static let untilApplied = Duration.milliseconds(10)
    /// Between looks at what this partition has changed itself.
    private static let ownInterval = Duration.seconds(1)
    /// Between attempts after a failure.
    private static let pause = Duration.milliseconds(250)

    private let source: Source
    private let targets: Targets
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private var regionRevision: UInt32?
    /// The endpoints that were off in the configuration when it was read last; `nil` before.
    private var disabled: Set<String>?
    private var position: UInt64?
    /// Whether something was copied that the running service does not know yet.
    private var areCopiesNew = false
    private var lastLook = ContinuousClock.now
    private var hasEnded = false
    private var waiting: [(position: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []

    /// A mirror that has not begun. `sleep` is other than the system's in tests.
    init(
        _ source: Source, _ targets: Targets, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.source, self.targets, self.logger, self.sleep) = (source, targets, logger, sleep)
    }

    /// Mirrors until a graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { await self.mirror() }
        hasEnded = true
        for waiter in waiting { waiter.continuation.resume(throwing: Ended()) }
        waiting = []
    }

    /// Returns when the partition has the configuration as of a position of its log.
    ///
    /// - Throws: `Ended`.
    func wait(until position: UInt64) async throws {
        if let known = self.position, known >= position { return }
        guard !hasEnded else { throw Ended() }
        try await withCheckedThrowingContinuation { waiting.append((position, $0)) }
    }

    private func mirror() async {
        // Logged once, however often it is met.
        var known = ""
        while !Task.isCancelled {
            let generation = source.changes.generation
            let target = source.position()
            if let position, position >= target, await !hasOwnChange() {
                await rest(since: generation)
                continue
            }
            do {
                let isComplete = try await copy()
                known = ""
                // What was read may be older than what was just appended.
                if !isComplete || (position ?? 0) < target { try? await sleep(Self.untilApplied) }
            } catch {
                if "\(error)" != known {
                    logger.warning(
                        "the configuration cannot be taken over; trying again", metadata: ["error": "\(error)"])
                }
                known = "\(error)"
                try? await sleep(Self.pause)
            }
        }
    }

    /// Whether the dispatcher of this partition has turned an endpoint off, which is looked for once a second.
    private func hasOwnChange() async -> Bool {
        guard ContinuousClock.now - lastLook > Self.ownInterval else { return false }
        lastLook = .now
        guard let endpoints = try? await targets.assembly.store.endpoints() else { return false }
        return Set(endpoints.filter { !$0.isActive }.map(\.id)) != disabled
    }

    /// Waits until the configuration may have changed, or until the next look at this partition's own changes.
    private func rest(since generation: UInt64) async {
        await withTaskGroup(of: Void.self) { [changes = source.changes, sleep] group in
            group.addTask { await changes.wait(since: generation) }
            group.addTask { try? await sleep(Self.ownInterval) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Takes over what has changed.
    ///
    /// - Returns: whether everything was.
    private func copy() async throws -> Bool {
        let (store, worker) = (targets.assembly.store, targets.assembly.worker)
        guard let difference = try await store.adoptConfiguration(at: source.path, regionsAfter: regionRevision) else {
            return false
        }
        if difference.hasCopied { areCopiesNew = true }
        if areCopiesNew {
            try await targets.accessDidChange()
            try await worker.alertRulesDidChange()
            areCopiesNew = false
        }
        let isKnown = try await adoptEndpoints(difference)
        if !difference.regions.isEmpty || !difference.removedRegions.isEmpty {
            let edit = RegionEdit(
                changed: try difference.regions.map(Self.region), removed: difference.removedRegions)
            _ = try await worker.editRegions { _ in edit }
        }
        try await adoptApps(difference)
        regionRevision = difference.regionRevision
        guard isKnown else { return false }
        position = difference.position
        let done = waiting.filter { $0.position <= difference.position }
        waiting.removeAll { $0.position <= difference.position }
        for waiter in done { waiter.continuation.resume() }
        return true
    }

    /// - Returns: whether the configuration knows which endpoints the partition has turned off.
    private func adoptEndpoints(_ difference: ConfigurationDifference) async throws -> Bool {
        let store = targets.assembly.store
        var changed = difference.endpoints
        var isKnown = true
        for endpoint in difference.disabledHere {
            if disabled?.contains(endpoint.id) == true {
                // It was off everywhere, and somebody has turned it on.
                var active = endpoint
                active.state = .active
                changed.append(active)
            } else {
                try await source.disable(endpoint)
                isKnown = false
            }
        }
        for endpoint in changed { try await store.save(endpoint) }
        for id in difference.removedEndpoints { _ = try await store.removeEndpoint(id: id) }
        if !changed.isEmpty || !difference.removedEndpoints.isEmpty { try await targets.endpointsDidChange() }
        if isKnown { disabled = Set(try await store.endpoints().filter { !$0.isActive }.map(\.id)) }
        return isKnown
    }

    private func adoptApps(_ difference: ConfigurationDifference) async throws {
        let (worker, known) = (targets.assembly.worker, targets.assembly.worker.apps().map(\.stored))
        var edit = AppEdit(removed: difference.removedApps)
        var steps: [(app: String, steps: [AppStep])] = []
        for app in difference.apps {
            let former = known.first { $0.id == app.id }
            let isSame = former?.definition == app.definition && app.steps.starts(with: former?.steps ?? [])
            if !isSame { edit.changed.append(StoredApp(id: app.id, definition: app.definition)) }
            let added = try app.steps.dropFirst(isSame ? former?.steps.count ?? 0 : 0).map(Self.step)
            if !added.isEmpty { steps.append((app.id, added)) }
        }
        if !edit.changed.isEmpty || !edit.removed.isEmpty {
            try await worker.editApps { [edit] _ in edit }
        }
        for (app, steps) in steps { _ = try await worker.take(steps: steps, app: app) }
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private static func region(_ stored: StoredRegion) throws -> Region {
        let reading = RegionFile.read(Array(stored.feature.utf8), name: stored.id.rawValue, options: .stored)
        guard let region = reading.regions.first else {
            throw Unreadable(description: "The region \(stored.id) cannot be read.")
        }
        return region
    }

    private static func step(_ text: String) throws -> AppStep {
        let root = try JSONDocument(parsing: text).root
        guard let step = ScenarioReader(file: nil).step(root, at: JSONPointer()).0 else {
            throw Unreadable(description: "A step cannot be read.")
        }
        return AppStep(step, json: text)
    }
}
