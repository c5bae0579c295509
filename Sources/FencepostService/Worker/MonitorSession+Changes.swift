import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostSimulator

/// Changes of regions, apps and devices. Each is written in one transaction with the events that it causes and with
/// every dirty state, so that the log is never replayed across it.
extension MonitorSession {
    mutating func replace(
        _ replacement: RegionReplacement, _ change: WatchChange, at now: Timestamp
    ) async throws -> EvaluatedBatch {
        var batch = beginChange(at: now)
        var events: [Event] = []
        // What is being evaluated has not seen this change.
        history.follows.removeAll()
        // The change alters the state of some devices without an event. Their states are written with it too.
        let affected = try engine.replace(
            replacement, at: now, willEvaluate: { [journal, work] in Self.begin(work, $0, in: journal) }
        ) { events.append($0) }
        for event in events {
            markDirty(event.deviceID, at: now)
            add(roster.emit(event), to: &batch)
        }
        return try await apply(change, batch, and: affected)
    }

    mutating func replace(_ apps: [WatchedApp], _ edit: AppEdit, sources: [String: String?], at now: Timestamp)
        async throws
    {
        let affected = roster.deviceIDs
        roster.replace(apps)
        watchedApps = apps
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.apps = edit.changed
        change.removedApps = edit.removed
        change.sources = sources
        _ = try await apply(change, beginChange(at: now), and: affected)
    }

    /// Performs steps with an app on every device.
    ///
    /// - Returns: a report for each step; `nil` when there is no such app.
    mutating func take(_ steps: [AppStep], app id: String, at now: Timestamp) async throws -> [StepReport]? {
        guard let index = watchedApps.firstIndex(where: { $0.app.id == id }) else { return nil }
        var app = watchedApps[index]
        var reports: [StepReport] = []
        for step in steps {
            var dated = step.step
            var json = step.json
            // A step without a time happens now. The stored step says when, so that a restart repeats it exactly.
            if dated.at == nil {
                dated.at = now
                json = try Self.dated(json, at: now)
            }
            for action in app.simulation.handle(dated) {
                if case .report(let report) = action { reports.append(report) }
            }
            roster.take(dated, app: app.app.id)
            app.stored.steps.append(json)
        }
        watchedApps[index] = app
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.apps = [app.stored]
        _ = try await apply(change, beginChange(at: now), and: roster.deviceIDs)
        return reports
    }

    /// A step's object with `at` set.
    private static func dated(_ json: String, at now: Timestamp) throws -> String {
        let document = try JSONDocument(parsing: Array(json.utf8))
        var writer = JSONWriter()
        writer.beginObject()
        if let object = document.root.object {
            for member in object where member.name != "at" {
                writer.name(member.name)
                writer.value(member.value)
            }
        }
        writer.name("at")
        writer.value(now)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// - Returns: whether the device was known, and the engine's index that it had; one that is set aside has none.
    mutating func forget(_ device: DeviceID, at now: Timestamp) async throws -> (wasKnown: Bool, index: Int?) {
        let index = engine.deviceIndex(of: device)
        guard index != nil || aside[device] != nil else { return (false, nil) }
        // What is stored of it now is not evaluated again.
        let through = max(engine.buffer(of: device).releasedThrough, history.tasks[device]?.through ?? .distantPast)
        drop(device)
        fencesByOwner = nil
        proximity?.forget(device)
        proximityTasks[device] = nil
        aside[device] = nil
        history.follows[device] = nil
        history.tasks[device] = nil
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.removedDevices = [device]
        change.removedThrough = [device: through]
        _ = try await apply(change, beginChange(at: now))
        journal.settle(.device, device.rawValue)
        return (true, index)
    }

    /// Takes over the alert rules, the proximity rules, the plans and the groups that the store has now.
    ///
    /// - Parameters:
    ///   - settings: those of the configuration.
    ///   - now: the current time.
    /// - Returns: `nil` when nothing has changed.
    /// - Throws: when the store cannot write.
    mutating func renewAlerts(_ settings: MonitorSettings, at now: Timestamp) async throws -> EvaluatedBatch? {
        let next = settings.adding(try await store.alertSources())
        let hasOtherPairs = next.proximity != engine.settings.proximity
        let hasOtherRules = next.alerts != engine.settings.alerts || next.plans != engine.settings.plans
        guard hasOtherRules || hasOtherPairs else {
            if !returned.isEmpty { try await startProximity() }
            return nil
        }
        let batch = beginChange(at: now)
        // What is being evaluated has not seen this change.
        history.follows.removeAll()
        let affected = hasOtherRules ? engine.replaceAlerts(next.alerts, plans: next.plans) : []
        if hasOtherPairs {
            engine.replaceProximity(next.proximity)
            // No write is in flight, so the store has what was in memory.
            try await startProximity()
            for device in engine.deviceIDs { noteChange(of: device) }
        }
        for device in affected { noteChange(of: device) }
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.sources = [Self.settingsKey: try Self.text(of: engine.settings)]
        return try await apply(change, batch, and: affected)
    }

    private mutating func beginChange(at now: Timestamp) -> EvaluatedBatch {
        tracker.beginBatch()
        return EvaluatedBatch(commit: Commit(position: position + 1, receivedAt: now))
    }

    /// Writes a change with its events, all dirty states and the states of `others`; durable on return.
    private mutating func apply(
        _ change: WatchChange, _ batch: consuming EvaluatedBatch, and others: [DeviceID] = []
    ) async throws -> EvaluatedBatch {
        batch.commit.checkpoints = try takeCheckpoints(all: true, and: others, at: batch.commit.receivedAt)
        batch.statusDelta = statusDelta(of: batch.commit)
        endWork()
        try await store.apply(change, with: batch.commit)
        position += 1
        for (key, value) in change.sources { sources[key] = value }
        return batch
    }
}

extension WatchChange {
    /// The stored form of an edit of regions; the catalog has the regions after the edit.
    init(_ edit: RegionEdit, to catalog: RegionCatalog, sources: [String: String?]) {
        self.init(regionRevision: catalog.revision)
        removedRegions = edit.removed
        var writer = JSONWriter()
        regions = edit.changed.compactMap { region in
            guard let handle = catalog.handle(for: region.id) else { return nil }
            writer.removeAll()
            writer.value(region)
            return StoredRegion(
                id: region.id, feature: String(decoding: writer.bytes, as: UTF8.self),
                addedInRevision: catalog.revision(addedIn: handle))
        }
        self.sources = sources
    }
}
