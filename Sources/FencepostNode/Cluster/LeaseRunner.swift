import FencepostCluster
import FencepostModel
import Synchronization

/// Asks NATS what the lease's machine wants to know, until the node ends.
final class LeaseRunner: Sendable {
    private struct Shared {
        var role = LeaseMachine.Role.follower
        var canLead = false
        var lease: Lease?
        var suspectsHolder = false
        var command: Command?
    }

    private enum Command: Hashable {
        case lose
        case handOver(to: String?)
        case stop
    }

    private let link: PartitionLink
    private let clock = ContinuousClock()
    private let machine: LeaseMachine
    private let waker = Waker()
    private let shared = Mutex(Shared())

    init(_ link: PartitionLink, node: String, run: UInt64, address: String) {
        self.link = link
        machine = LeaseMachine(node: node, run: run, address: address, version: FencepostVersion.current)
    }

    /// The lease as it was read last; `nil` before, and for none.
    var lease: Lease? { shared.withLock { $0.lease } }

    /// Where the node answers that leads, if it is not this run; `nil` while none is known to.
    func leader(besides run: UInt64) -> String? {
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

    private func note(_ lease: Lease?) { shared.withLock { $0.lease = lease } }

    /// Sets whether the node may claim a lease that is free.
    func setCanLead(_ canLead: Bool) { shared.withLock { $0.canLead = canLead } }

    /// The node cannot lead any more for now.
    func lose() { command(.lose) }

    /// Gives the lease to another node, `nil` for any that can lead, and follows then.
    func handOver(to node: String?) { command(.handOver(to: node)) }

    /// The node ends; `run` returns when the lease is given back.
    func stop() { command(.stop) }

    private func command(_ command: Command) {
        shared.withLock { if $0.command == nil || command == .stop { $0.command = command } }
        waker.wake()
    }

    /// Works until `stop`, or until the task is cancelled.
    ///
    /// - Parameter onRole: called when what the node is by the lease has changed.
    func run(onRole: (LeaseMachine.Role) -> Void) async {
        var machine = machine
        let start = clock.now
        var request = machine.first
        while !Task.isCancelled {
            switch request {
            case .read(let pause), .write(_, _, let pause): if pause > .zero { await waker.pause(pause) }
            case .nothing: return
            }
            if let wished = fulfil(&machine) {
                publish(machine, onRole)
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
            publish(machine, onRole)
        }
    }

    private func publish(_ machine: LeaseMachine, _ onRole: (LeaseMachine.Role) -> Void) {
        let former = shared.withLock { shared in
            defer { (shared.role, shared.suspectsHolder) = (machine.role, machine.suspectsHolder) }
            return shared.role
        }
        if former != machine.role { onRole(machine.role) }
    }

    /// Lets the machine do what the node asks for.
    private func fulfil(_ machine: inout LeaseMachine) -> LeaseMachine.Request? {
        let command = shared.withLock { shared in
            defer { shared.command = nil }
            return shared.command
        }
        waker.rest()
        switch command {
        case nil: return nil
        case .lose: return machine.lose()
        case .handOver(let node): return machine.handOver(to: node)
        case .stop: return machine.stop()
        }
    }
}
