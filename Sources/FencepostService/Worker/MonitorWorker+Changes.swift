import Dispatch
import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostSimulator
import Synchronization

/// Changes of what is watched. Those of regions may be large: all that takes long of them is done beside the monitor.
extension MonitorWorker {
    /// So many regions and more are written ahead of their change.
    private static let stagedRegions = 64
    /// What takes a core for seconds has a thread of its own: there are as few threads for tasks as cores.
    private static let workshop = DispatchQueue(label: "fencepost.pipeline.regions")

    /// Makes a change.
    ///
    /// - Returns: what is to be run beside the monitor before the change can be made, if anything.
    func make(
        _ change: WorkerChange, _ session: inout MonitorSession
    ) async throws -> (@Sendable () async -> Void)? {
        let now = clock.now()
        do {
            switch change.work {
            case .regions(let makeEdit, let sources):
                let (index, settings) = (session.engine.index, session.engine.settings)
                return { await self.prepare(makeEdit, sources, index, settings, change.answer) }
            case .dropped(let result): change.answer(result)
            case .failed(let error): throw error
            case .prepared(let replacement, let stored):
                let before = session.engine.index
                let turn = try await session.replace(replacement, stored, at: now)
                reached(.changed)
                published.withLock { $0.index = replacement.index }
                knownSources.withLock { $0 = session.sources }
                publish(turn)
                metrics.committed(turn.commit, submissions: [], receipts: [])
                change.answer(.success(.regions(replacement.index.catalog)))
                // To give many regions back takes long too: when nobody has them any more, and not here.
                Self.workshop.asyncAfter(deadline: .now() + .seconds(1)) {
                    withExtendedLifetime((before, replacement)) {}
                }
            case .apps(let makeEdit, let sources):
                let edit: AppEdit
                let apps: [WatchedApp]
                do {
                    edit = try makeEdit(session.watchedApps)
                    apps = try session.watchedApps.applying(edit)
                } catch {
                    change.answer(.failure(error))
                    return nil
                }
                try await session.replace(apps, edit, sources: sources, at: now)
                published.withLock { $0.apps = apps }
                knownSources.withLock { $0 = session.sources }
                change.answer(.success(.done))
            case .steps(let steps, let app):
                let reports = try await session.take(steps, app: app, at: now)
                let apps = session.watchedApps
                published.withLock { $0.apps = apps }
                change.answer(.success(.steps(reports)))
            case .forget(let device):
                let place = try await session.forget(device, at: now)
                board.remove(device, at: place, count: session.engine.deviceCount)
                change.answer(.success(.forgotten(place != nil)))
            }
        } catch {
            change.answer(.failure(MonitorFailure.storeUnavailable))
            throw StoreFailure(underlying: error)
        }
        return nil
    }

    /// Makes what a change of regions needs, and hands it to the monitor.
    private func prepare(
        _ makeEdit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit,
        _ sources: [String: String?],
        _ index: RegionIndex, _ settings: MonitorSettings,
        _ answer: @escaping @Sendable (Result<WorkerChange.Answer, any Error>) -> Void
    ) async {
        let result = await withCheckedContinuation { continuation in
            Self.workshop.async {
                continuation.resume(
                    returning: Result {
                        try Self.prepared(makeEdit, sources, index, settings)
                    })
            }
        }
        var work: WorkerChange.Work
        switch result {
        case .failure(let error): work = .dropped(.failure(error))
        case .success(nil): work = .dropped(.success(.regions(index.catalog)))
        case .success((let replacement, var stored)?):
            work = .prepared(replacement, stored)
            if stored.regions.count + stored.removedRegions.count >= Self.stagedRegions {
                do {
                    try await store.stage(
                        stored.regions, removed: stored.removedRegions, revision: stored.regionRevision)
                    reached(.staged)
                    (stored.regions, stored.removedRegions, stored.isStaged) = ([], [], true)
                    work = .prepared(replacement, stored)
                } catch {
                    work = .failed(error)
                }
            }
        }
        let change = WorkerChange(work: work, answer: answer)
        if !inbox.add(change, evenWhenClosed: true) { answer(.failure(MonitorFailure.stopping)) }
    }

    private static func prepared(
        _ makeEdit: (RegionCatalog) throws -> RegionEdit, _ sources: [String: String?],
        _ index: RegionIndex,
        _ settings: MonitorSettings
    ) throws -> (RegionReplacement, WatchChange)? {
        var catalog = index.catalog
        let edit = try makeEdit(catalog)
        guard !edit.changed.isEmpty || !edit.removed.isEmpty || !sources.isEmpty else { return nil }
        catalog.update(edit.changed, removing: edit.removed)
        let handles = (edit.changed.map(\.id) + edit.removed).compactMap { catalog.handle(for: $0) }
        let next = index.updated(to: catalog, changed: handles)
        return (
            RegionReplacement(of: index.catalog, with: next, settings: settings),
            WatchChange(edit, to: catalog, sources: sources)
        )
    }
}

extension WorkerChange {
    /// Whether nothing is made beside the monitor any more after it.
    var endsPreparation: Bool {
        switch work {
        case .prepared, .dropped, .failed: true
        case .regions, .apps, .steps, .forget: false
        }
    }
}

extension [WatchedApp] {
    /// The apps after an edit; those that are changed start anew.
    func applying(_ edit: AppEdit) throws -> [WatchedApp] {
        var apps = filter { !edit.removed.contains($0.app.id) }
        for stored in edit.changed {
            let app = try WatchedApp(stored: stored)
            if let place = apps.firstIndex(where: { $0.app.id == app.app.id }) {
                apps[place] = app
            } else {
                apps.append(app)
            }
        }
        return apps
    }
}
