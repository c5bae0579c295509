import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions

/// The regions as they were at the times of a device's fixes.
///
/// The first known version of a region counts for all time before it, so that history that is imported after the regions
/// were made is evaluated against them. Where an evaluation starts from a snapshot, that holds for the regions that the
/// snapshot's evaluation knew; newer ones begin when they were added, as they did for live fixes.
struct RegionTimeline: Sendable {
    /// The regions at the start.
    let index: RegionIndex
    let rules: WatchRules
    /// The changes after the start, by time.
    let changes: [Change]

    struct Change: Sendable {
        var time: Timestamp
        var revision: UInt32
        var replacement: RegionReplacement
    }

    /// Regions that do not change.
    init(_ index: RegionIndex, rules: WatchRules) {
        self.init(index, rules: rules, changes: [])
    }

    /// `current`: the regions of today.
    /// `versions`: of the regions that changed after `known` or have several versions; sorted by id and revision.
    /// `known`: the newest revision that the evaluation up to the start knew.
    /// `time`: that of the start.
    init(
        _ current: RegionIndex, rules: WatchRules, versions: [RegionVersion], known: UInt32, after time: Timestamp
    ) {
        var histories: [RegionID: [(from: Timestamp, version: RegionVersion)]] = [:]
        for version in versions {
            let isFirstKnown = histories[version.id] == nil && version.revision <= known
            let from = isFirstKnown ? Timestamp.distantPast : version.validFrom ?? .distantPast
            histories[version.id, default: []].append((from, version))
        }
        var changed: [UInt32: (time: Timestamp, versions: [RegionVersion])] = [:]
        for history in histories.values {
            for (from, version) in history where from > time {
                changed[version.revision, default: (from, [])].versions.append(version)
            }
        }
        guard let first = changed.keys.min() else {
            self.init(current, rules: rules)
            return
        }
        let before = max(first, 1) - 1
        var base: [(region: Region, added: UInt32)] = []
        for (handle, region) in current.catalog.regions where histories[region.id] == nil {
            base.append((region, min(current.catalog.revision(addedIn: handle), before)))
        }
        for history in histories.values {
            guard let (from, version) = history.last(where: { $0.from <= time }), let region = version.region()
            else { continue }
            base.append((region, from == .distantPast ? 0 : min(version.addedInRevision, before)))
        }
        base.sort { $0.region.id < $1.region.id }
        var catalog = RegionCatalog(base, revision: before)
        var index = RegionIndex(catalog)
        let start = (index: index, rules: WatchRules(catalog, rules.settings))
        var changes: [Change] = []
        for revision in changed.keys.sorted() {
            guard let change = changed[revision] else { continue }
            // The revisions between changed other regions only.
            while catalog.revision + 1 < revision { catalog.update([]) }
            let regions = change.versions.compactMap { $0.region() }
            let removed = change.versions.filter { $0.feature == nil }.map(\.id)
            catalog.update(regions, removing: removed)
            let handles = (regions.map(\.id) + removed).compactMap { catalog.handle(for: $0) }
            let next = index.updated(to: catalog, changed: handles)
            changes.append(
                Change(
                    time: change.time, revision: revision,
                    replacement: RegionReplacement(of: index.catalog, with: next, settings: rules.settings)))
            index = next
        }
        self.init(start.index, rules: start.rules, changes: changes)
    }

    private init(_ index: RegionIndex, rules: WatchRules, changes: [Change]) {
        (self.index, self.rules, self.changes) = (index, rules, changes)
    }
}

extension RegionVersion {
    /// The region; `nil` after its removal.
    fileprivate func region() -> Region? {
        guard let feature else { return nil }
        // One that cannot be read is not watched either as locations arrive.
        let reading = RegionFile.read(Array(feature.utf8), name: id.rawValue, options: .stored)
        return reading.regions.first.flatMap { $0.id == id ? $0 : nil }
    }
}
