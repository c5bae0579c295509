import Dispatch
import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostSimulator
import Synchronization

/// Changes of regions, apps and devices. A change of many regions takes seconds; its index build and its staging in the
/// store run concurrently with the worker.
extension MonitorWorker {
    /// From this number of changed regions on, their rows are staged in the store before the change.
    private static let stagedRegions = 64
    /// An index build takes a core for seconds. It has a thread of its own, because Swift's pool has only one per core.
    private static let indexBuildQueue = DispatchQueue(label: "fencepost.service.index-build")

    /// Applies a change, and keeps its result for the effect `answerChange`.
    func apply(
        _ id: WorkerMachine.ChangeID, _ session: inout MonitorSession, _ work: inout SessionWork
    ) async -> WorkerMachine.Input {
        guard let change = work.changes[id]?.change else { preconditionFailure("there is no change \(id)") }
        let now = clock.now()
        do {
            switch change.work {
            case .regions:
                guard let build = work.build else { preconditionFailure("an index build has no result") }
                work.build = nil
                work.changes[id]?.result = try await apply(build, at: now, &session)
            case .apps(let makeEdit, let sources):
                let (edit, apps): (AppEdit, [WatchedApp])
                do {
                    edit = try makeEdit(session.watchedApps)
                    apps = try session.watchedApps.applying(edit)
                } catch {
                    work.changes[id]?.result = .failure(error)
                    return .applied
                }
                try await session.replace(apps, edit, sources: sources, at: now)
                published.withLock { $0.apps = apps }
                knownSources.withLock { $0 = session.sources }
                work.changes[id]?.result = .success(.done)
            case .steps(let steps, let app):
                let reports = try await session.take(steps, app: app, at: now)
                let apps = session.watchedApps
                published.withLock { $0.apps = apps }
                work.changes[id]?.result = .success(.steps(reports))
            case .forget(let device):
                let (wasKnown, index) = try await session.forget(device, at: now)
                statuses.remove(device, ofEngine: index, count: session.engine.deviceCount)
                work.changes[id]?.result = .success(.forgotten(wasKnown))
            case .alerts:
                if let batch = try await session.renewAlerts(settings, at: now) {
                    reached(.changed)
                    publish(batch)
                }
                work.changes[id]?.result = .success(.done)
            }
            return .applied
        } catch {
            work.fail(error)
            return .applyFailed
        }
    }

    private func apply(
        _ build: IndexBuild, at now: Timestamp, _ session: inout MonitorSession
    ) async throws -> Result<WorkerChange.Answer, any Error> {
        switch build {
        case .unchanged(let catalog): return .success(.regions(catalog))
        case .rejected(let error): return .failure(error)
        case .stagingFailed(let error): throw error
        case .built(let replacement, let stored):
            let before = session.engine.index
            let batch = try await session.replace(replacement, stored, at: now)
            reached(.changed)
            published.withLock { $0.index = replacement.index }
            knownSources.withLock { $0 = session.sources }
            publish(batch)
            metrics.committed(batch)
            // Freeing many regions takes long too. It happens on the build queue, after the last user is gone.
            if !buildsInTurn {
                Self.indexBuildQueue.asyncAfter(deadline: .now() + .seconds(1)) {
                    withExtendedLifetime((before, replacement)) {}
                }
            }
            return .success(.regions(replacement.index.catalog))
        }
    }

    /// Builds the index of a change of regions, and stages the regions in the store when they are many.
    func buildIndex(
        _ makeEdit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit, _ sources: [String: String?],
        _ index: RegionIndex, _ settings: MonitorSettings
    ) async -> IndexBuild {
        let result = await withCheckedContinuation { continuation in
            if buildsInTurn {
                continuation.resume(returning: Self.buildIndex(makeEdit, sources, index, settings))
                return
            }
            Self.indexBuildQueue.async {
                continuation.resume(returning: Self.buildIndex(makeEdit, sources, index, settings))
            }
        }
        guard case .built(let replacement, var stored) = result,
            stored.regions.count + stored.removedRegions.count >= Self.stagedRegions
        else { return result }
        do {
            try await store.stage(stored.regions, removed: stored.removedRegions, revision: stored.regionRevision)
        } catch {
            return .stagingFailed(error)
        }
        reached(.staged)
        (stored.regions, stored.removedRegions, stored.isStaged) = ([], [], true)
        return .built(replacement, stored)
    }

    private static func buildIndex(
        _ makeEdit: (RegionCatalog) throws -> RegionEdit, _ sources: [String: String?], _ index: RegionIndex,
        _ settings: MonitorSettings
    ) -> IndexBuild {
        var catalog = index.catalog
        let edit: RegionEdit
        do {
            edit = try makeEdit(catalog)
        } catch {
            return .rejected(error)
        }
        guard !edit.changed.isEmpty || !edit.removed.isEmpty || !sources.isEmpty else { return .unchanged(catalog) }
        catalog.update(edit.changed, removing: edit.removed)
        let handles = (edit.changed.map(\.id) + edit.removed).compactMap { catalog.handle(for: $0) }
        let next = index.updated(to: catalog, changed: handles)
        return .built(
            RegionReplacement(of: index.catalog, with: next, settings: settings),
            WatchChange(edit, to: catalog, sources: sources))
    }
}

extension [WatchedApp] {
    /// The apps after an edit. Changed apps start in their initial state.
    func applying(_ edit: AppEdit) throws -> [WatchedApp] {
        var apps = filter { !edit.removed.contains($0.app.id) }
        for stored in edit.changed {
            let app = try WatchedApp(stored: stored)
            if let index = apps.firstIndex(where: { $0.app.id == app.app.id }) {
                apps[index] = app
            } else {
                apps.append(app)
            }
        }
        return apps
    }
}
