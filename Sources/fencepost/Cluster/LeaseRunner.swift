import FencepostCluster
import FencepostModel
import Synchronization

/// Asks NATS what the lease's machine wants to know, until the node ends.
actor LeaseRunner {
    private struct Shared {
        var role = LeaseMachine.Role.follower
        var canLead = false
        var lease: Lease?
        var suspectsHolder = false
    }

    private enum Wish: Hashable {
        case lose
        case handOver(to: String?)
        case stop
    }

    private let link: PartLink
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var machine: LeaseMachine
    private var wish: Wish?
    private var sleeper: Task<Void, Never>?
    private let shared = Mutex(Shared())

    init(_ link: PartLink, node: String, run: UInt64, address: String) {
        self.link = link
        machine = LeaseMachine(node: node, run: run, address: address, version: FencepostVersion.current)
        start = clock.now
    }

    /// What the node is.
    nonisolated var role: LeaseMachine.Role { shared.withLock { $0.role } }

    /// The lease as it was read last; `nil` before, and for none.
    nonisolated var lease: Lease? { shared.withLock { $0.lease } }

    /// Where the node answers that leads, if it is not this run; `nil` while none is known to.
    nonisolated func leader(besides run: UInt64) -> String? {
        shared.withLock { shared in
            guard let lease = shared.lease, lease.isHeld, lease.run != run, !shared.suspectsHolder else { return nil }
            return lease.address
        }
    }

    /// Reads the lease once, before or after this run takes part.
    func look() async {
        if case .read(let reading) = await link.readLease() { note(reading?.lease) }
    }

    /// Reads the lease until another run holds it, after this one has ended.
    ///
    /// - Parameters:
    ///   - run: this run.
    ///   - time: the longest time to wait.
    func waitForSuccessor(of run: UInt64, within time: Duration) async {
        let end = clock.now + time
        while clock.now < end {
            await look()
            if let lease, lease.isHeld, lease.run != run { return }
            try? await clock.sleep(for: .milliseconds(50))
        }
    }

    private nonisolated func note(_ lease: Lease?) { shared.withLock { $0.lease = lease } }

    /// Whether the node's copy can be brought to the end of the log.
    nonisolated func setCanLead(_ canLead: Bool) { shared.withLock { $0.canLead = canLead } }

    /// The node cannot lead any more for now.
    func lose() {
        if wish == nil { wish = .lose }
        sleeper?.cancel()
    }

    /// Gives the lease to another node, `nil` for any that can lead, and follows then.
    func handOver(to node: String?) {
        if wish == nil { wish = .handOver(to: node) }
        sleeper?.cancel()
    }

    /// As `lose`, but a node that ends gives its lease back instead.
    func loseUnless(stopping: Bool) {
        if !stopping { lose() }
    }

    /// The node ends; `run` returns when the lease is given back.
    func stop() {
        wish = .stop
        sleeper?.cancel()
    }

    /// Works until `stop`, or until the task is cancelled.
    func run() async {
        var request = machine.first
        while !Task.isCancelled {
            switch request {
            case .read(let pause), .write(_, _, let pause): await sleep(pause)
            case .nothing: return
            }
            if let wished = fulfil() {
                request = wished
                continue
            }
            let input: LeaseMachine.Input
            switch request {
            case .read:
                input = await link.readLease()
                if case .read(let reading) = input { note(reading?.lease) }
            case .write(let lease, let revision, _):
                input = await link.write(lease, replacing: revision)
                if !lease.isHeld, case .written = input { CrashTest.shared?.reached(NodeCrashPoint.handedOver) }
            case .nothing: return
            }
            request = machine.step(input, at: clock.now - start, canLead: shared.withLock { $0.canLead })
            publish()
        }
    }

    private func publish() {
        let (role, suspectsHolder) = (machine.role, machine.suspectsHolder)
        shared.withLock { ($0.role, $0.suspectsHolder) = (role, suspectsHolder) }
    }

    private func fulfil() -> LeaseMachine.Request? {
        guard let wish else { return nil }
        self.wish = nil
        defer { publish() }
        switch wish {
        case .lose: return machine.lose()
        case .handOver(let node): return machine.handOver(to: node)
        case .stop: return machine.stop()
        }
    }

    private func sleep(_ pause: Duration) async {
        guard pause > .zero, wish == nil else { return }
        let sleeper = Task { [clock] in _ = try? await clock.sleep(for: pause) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
    }
}
