import FencepostCluster
import FencepostModel
import FencepostMonitor
import FencepostServer
import FencepostService
import FencepostStore
import Logging

/// What reads a node's copy of a part while it follows: the tokens by which its ports decode locations, in a cluster of one
/// partition, and the monitor that stands by to lead.
///
/// Nothing does while the copy has an older schema than this version: requests are sent on as they came then.
final class CopyReaders {
    private let router: NodeRouter?
    private let clock: ServiceClock
    private let settings: MonitorSettings?
    private let journal: WorkJournal
    private let logger: Logger
    private let onDivergence: @Sendable (Int) -> Void
    private var tokens: ReplicaTokens?
    private var standby: StandbyMonitor?
    /// Up to where the monitor was to follow.
    private var known: ReplicaMark?

    /// More than five parameters, because a node has them all from other places.
    ///
    /// - Parameters:
    ///   - router: the ports; `nil` where they do not decode by the copy.
    ///   - clock: the node's time.
    ///   - settings: the monitor's settings on this node; `nil` when none stands by.
    ///   - journal: the journal of the work on the copy.
    ///   - logger: the part's logger.
    ///   - onDivergence: as for a `StandbyMonitor`.
    init(
        _ router: NodeRouter?, _ clock: ServiceClock, _ settings: MonitorSettings?, _ journal: WorkJournal,
        _ logger: Logger, onDivergence: @escaping @Sendable (Int) -> Void
    ) {
        (self.router, self.clock, self.settings) = (router, clock, settings)
        (self.journal, self.logger) = (journal, logger)
        self.onDivergence = onDivergence
    }

    /// Whether the node could lead without loading.
    var standsBy: Bool { standby?.isReady ?? false }

    /// Begins as soon as a copy has this version's schema, and reads what it has applied. It is called again and again.
    ///
    /// - Parameters:
    ///   - copy: the copy, which follows.
    ///   - leader: the lease of the leader; `nil` when it is not known.
    /// - Throws: a `StoreError`.
    func read(_ copy: ReplicaStore, behind leader: Lease?) throws {
        guard copy.upgrade == nil else { return }
        if let router, tokens == nil {
            let opened = try ReplicaTokens(of: copy.path)
            tokens = opened
            router.decode(with: opened, clock: clock)
        }
        if let settings, standby == nil {
            standby = StandbyMonitor(
                try ReplicaStates(of: copy.path, copy.changes), settings: settings, journal: journal,
                logger: logger, onDivergence: onDivergence)
        }
        // What has to be loaded again is so after a pause.
        guard copy.mark != known || !standsBy else { return }
        known = copy.mark
        // Another version may evaluate otherwise.
        standby?.followSoon(comparing: leader.flatMap { $0.version == FencepostVersion.current ? $0.epoch : nil })
    }

    /// Ends it, before the file is written by the service, or replaced.
    ///
    /// - Parameter leads: whether the node leads now, with a copy at the end of the log.
    /// - Returns: the monitor of a node that leads; `nil` for none.
    /// - Throws: a `StoreError`.
    func end(leads: Bool) async throws -> StandbyMonitor? {
        router?.decode(with: nil, clock: clock)
        try tokens?.close()
        if leads { await standby?.finish() }
        try await standby?.close()
        return leads ? standby : nil
    }
}
