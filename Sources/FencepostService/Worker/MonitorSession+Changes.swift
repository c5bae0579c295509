import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostSimulator

/// What stands between turns: each change is written together with what follows from it and with every state that is
/// newer than its checkpoint, so that the log is never replayed across it.
extension MonitorSession {
    /// Goes on with other regions.
    mutating func replace(
        _ replacement: RegionReplacement, _ change: WatchChange, at now: Timestamp
    ) async throws -> Turn {
        var turn = Turn(commit: Commit(position: position + 1, receivedAt: now))
        notes.begin()
        var events: [Event] = []
        // Of some, what is known changes and nothing is told; their states have to go with the change.
        let affected = try engine.replace(replacement, at: now) { events.append($0) }
        for event in events {
            markDirty(event.deviceID, at: now)
            try add(roster.tell(event), to: &turn)
        }
        return try await apply(change, turn, and: affected)
    }

    mutating func replace(_ apps: [WatchedApp], _ edit: AppEdit, sources: [String: String?], at now: Timestamp)
        async throws
    {
        let affected = roster.deviceIDs
        roster.replace(apps)
        watchedApps = apps
        notes.begin()
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.apps = edit.changed
        change.removedApps = edit.removed
        change.sources = sources
        _ = try await apply(change, Turn(commit: Commit(position: position + 1, receivedAt: now)), and: affected)
    }

    /// - Returns: a report for each step; `nil` when there is no such app.
    mutating func take(_ steps: [AppStep], app id: String, at now: Timestamp) async throws -> [StepReport]? {
        guard let place = watchedApps.firstIndex(where: { $0.app.id == id }) else { return nil }
        var app = watchedApps[place]
        var reports: [StepReport] = []
        for step in steps {
            var taken = step.step
            // Steps that name no time happen now: a launch after an hour is not in the moment of the one before.
            var json = step.json
            if taken.at == nil {
                taken.at = now
                json = try Self.dated(json, at: now)
            }
            for action in app.simulation.handle(taken) {
                if case .report(let report) = action { reports.append(report) }
            }
            roster.take(taken, app: app.app.id)
            app.stored.steps.append(json)
        }
        watchedApps[place] = app
        notes.begin()
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.apps = [app.stored]
        _ = try await apply(
            change, Turn(commit: Commit(position: position + 1, receivedAt: now)), and: roster.deviceIDs)
        return reports
    }

    /// A step's object with its time in it, so that it is the same step when it is read again.
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

    /// - Returns: the place that the device had; `nil` when it was not known.
    mutating func forget(_ device: DeviceID, at now: Timestamp) async throws -> Int? {
        guard let place = engine.place(of: device), engine.forget(device) else { return nil }
        roster.forget(device)
        visits[device] = nil
        notes.remove(place)
        notes.begin()
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.removedDevices = [device]
        _ = try await apply(change, Turn(commit: Commit(position: position + 1, receivedAt: now)))
        return place
    }
}

extension WatchChange {
    /// What is stored of an edit of regions.
    ///
    /// - Parameter catalog: the regions after it.
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
