import FencepostCluster
import FencepostTesting
import Testing

@Suite("Lease of the leader") struct LeaseTests {
    @Test("epochs are never used twice, and one node leads when faults end") func faults() {
        var takeovers = 0
        let seeds = SeedShare.of(0..<2000 as Range<UInt64>)
        for seed in seeds {
            var simulation = LeaseSimulation(seed: seed)
            simulation.disturb(rounds: 25)
            if simulation.leaders.count != 1 {
                simulation.findings.append("\(simulation.leaders.count) nodes lead after the faults")
            }
            takeovers += simulation.epochs.count
            #expect(simulation.findings == [], "seed \(seed)")
            guard simulation.findings.isEmpty else { return }
        }
        #expect(takeovers * 2 > 5 * seeds.count)
    }

    @Test("a leader that ends without a word is replaced within ten seconds") func death() throws {
        for seed in 0..<500 as Range<UInt64> {
            var simulation = LeaseSimulation(seed: seed)
            simulation.faults = 0
            simulation.run(until: 5000)
            let leader = try #require(simulation.leaders.first)
            simulation.end(leader)
            simulation.run(until: 15_000)
            #expect(simulation.leaders.count == 1)
            #expect(simulation.leaders.first != leader)
        }
    }

    @Test("a leader that gives its lease back is replaced within half a second") func handover() throws {
        for seed in 0..<500 as Range<UInt64> {
            var simulation = LeaseSimulation(seed: seed)
            simulation.faults = 0
            simulation.run(until: 5000)
            let leader = try #require(simulation.leaders.first)
            simulation.stop(leader)
            simulation.run(until: 5500)
            #expect(simulation.leaders.count == 1)
            #expect(simulation.leaders.first != leader)
        }
    }

    @Test("a leader is replaced by the node that it chose within half a second, or by any if that one is not there")
    func chosen() throws {
        for seed in 0..<500 as Range<UInt64> {
            var simulation = LeaseSimulation(seed: seed)
            simulation.faults = 0
            simulation.run(until: 5000)
            let leader = try #require(simulation.leaders.first)
            let other = (leader + (seed.isMultiple(of: 2) ? 1 : 2)) % 3
            simulation.handOver(leader, to: other)
            simulation.run(until: 5600)
            #expect(simulation.leaders == [other])
            // It takes part as before.
            simulation.handOver(other, to: leader)
            simulation.run(until: 6200)
            #expect(simulation.leaders == [leader])
            simulation.end(other)
            simulation.handOver(leader, to: other)
            simulation.run(until: 8500)
            #expect(simulation.leaders.isEmpty)
            simulation.run(until: 10_200)
            #expect(simulation.leaders.count == 1)
        }
    }

    @Test("while the key's store does not answer, nobody is suspected") func stall() throws {
        for seed in 0..<100 as Range<UInt64> {
            var simulation = LeaseSimulation(seed: seed)
            simulation.faults = 0
            simulation.run(until: 5000)
            let leader = try #require(simulation.leaders.first)
            // Shorter than the time after which the leader itself steps down.
            simulation.stalledUntil = 10_500
            simulation.run(until: 30_000)
            #expect(simulation.leaders == [leader])
            #expect(simulation.epochs.count == 1)
        }
    }

    @Test("a leader that cannot lead any more gives its lease to whichever node can, at once") func unable() {
        var machine = LeaseMachine(node: "a", run: 1)
        _ = machine.step(.read(nil), at: .zero)
        _ = machine.step(.written(revision: 7), at: .zero)
        #expect(machine.role == .leader(epoch: 7))
        var lease = Lease(node: "a", run: 1, claim: 1, epoch: 7)
        lease.isHeld = false
        #expect(machine.handOver(to: nil) == .write(lease, replacing: 7, after: .zero))
        #expect(machine.role == .follower)
        _ = machine.step(.written(revision: 8), at: .zero)
        let free = LeaseMachine.Input.read(LeaseMachine.Reading(lease: lease, revision: 8))
        #expect(machine.step(free, at: .zero, canLead: false) == .read(after: LeaseMachine.readInterval))
        var other = LeaseMachine(node: "b", run: 2)
        let claim = Lease(node: "b", run: 2, claim: 1)
        #expect(other.step(free, at: .zero) == .write(claim, replacing: 8, after: .zero))
    }

    @Test("a node that cannot lead claims nothing") func unfit() {
        var machine = LeaseMachine(node: "a", run: 1)
        #expect(machine.step(.read(nil), at: .zero, canLead: false) == .read(after: LeaseMachine.readInterval))
        #expect(machine.role == .follower)
        let claim = Lease(node: "a", run: 1, claim: 1)
        #expect(machine.step(.read(nil), at: .zero) == .write(claim, replacing: nil, after: .zero))
        #expect(machine.step(.failed, at: .zero) == .read(after: .zero))
        let read = LeaseMachine.Input.read(LeaseMachine.Reading(lease: claim, revision: 7))
        _ = machine.step(read, at: .zero)
        #expect(machine.role == .leader(epoch: 7))
    }
}

@Suite("Trimming of the log") struct LogTrimTests {
    private func kept(_ bytes: Int64, needed: UInt64?) -> UInt64? {
        LogTrim.firstToKeep(LogTrim.Content(bytes: bytes, first: 101, last: 1101), limit: 1200, needed: needed)
    }

    @Test("begins at half of the limit and leaves a quarter of it") func quarter() {
        #expect(kept(600, needed: 1101) == nil)
        #expect(kept(601, needed: 1101) == 601)
        #expect(kept(900, needed: nil) == nil)
    }

    @Test("leaves what a copy needs, while there is room") func copies() {
        #expect(kept(900, needed: 400) == 400)
        #expect(kept(900, needed: 50) == nil)
        #expect(kept(1100, needed: 50) == 828)
        #expect(kept(1100, needed: nil) == 828)
    }

    @Test("leaves what the node that asks has not applied, also of a log that is full") func applied() {
        let full = LogTrim.Content(bytes: 1200, first: 101, last: 1101)
        #expect(LogTrim.firstToKeep(full, limit: 1200, needed: 50, applied: 300) == 300)
        #expect(LogTrim.firstToKeep(full, limit: 1200, needed: 50, applied: 101) == nil)
        #expect(LogTrim.firstToKeep(full, limit: 1, needed: 50, applied: 1101) == 1101)
    }

    @Test("never removes the newest record") func newest() {
        let content = LogTrim.Content(bytes: 10_000, first: 5, last: 5)
        #expect(LogTrim.firstToKeep(content, limit: 100, needed: 5) == nil)
        let two = LogTrim.Content(bytes: 10_000, first: 4, last: 5)
        #expect((LogTrim.firstToKeep(two, limit: 100, needed: 5) ?? 0) <= 5)
    }
}
