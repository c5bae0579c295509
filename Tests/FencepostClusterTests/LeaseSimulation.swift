import FencepostCluster
import FencepostTesting

/// Three nodes and one key in virtual time: answers are late or lost, writes arrive late or not at all, the store stalls, and
/// nodes pause, end without a word and come back.
struct LeaseSimulation {
    struct Node {
        var machine: LeaseMachine
        var isRunning = true
        /// Until when the process does not run.
        var pausedUntil = 0
        /// Counts the requests, so that the answer to an earlier one is ignored.
        var request = 0
        var role = LeaseMachine.Role.follower
        /// When the newest request was sent that was answered.
        var proof = 0
    }

    enum Event {
        case send(Int, LeaseMachine.Request, request: Int)
        case write(Int, Lease, replacing: UInt64?, request: Int)
        case answer(Int, LeaseMachine.Input, request: Int, sent: Int)
    }

    var random: SeededGenerator
    var nodes: [Node] = []
    var stored: LeaseMachine.Reading?
    var revision: UInt64 = 0
    var queue: [(time: Int, event: Event)] = []
    var now = 0
    var faults = 100
    /// Until when the store answers nobody.
    var stalledUntil = 0
    var findings: [String] = []
    var epochs: [UInt64] = []
    var runs: UInt64 = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for index in 0..<3 {
            nodes.append(Node(machine: LeaseMachine(node: "n\(index)", run: 0)))
            start(index)
        }
    }

    mutating func start(_ index: Int) {
        runs += 1
        nodes[index].machine = LeaseMachine(node: "n\(index)", run: runs)
        nodes[index].isRunning = true
        nodes[index].role = .follower
        issue(index, nodes[index].machine.first)
    }

    mutating func end(_ index: Int) {
        nodes[index].isRunning = false
        nodes[index].role = .stopped
        nodes[index].request += 1
    }

    /// A planned end.
    mutating func stop(_ index: Int) {
        let request = nodes[index].machine.stop()
        observe(index, sent: now)
        issue(index, request)
    }

    /// A planned change of the leader.
    mutating func handOver(_ index: Int, to other: Int) {
        let request = nodes[index].machine.handOver(to: "n\(other)")
        observe(index, sent: now)
        issue(index, request)
    }

    private mutating func isFaulty() -> Bool { Int.random(in: 0..<1000, using: &random) < faults }

    private mutating func issue(_ index: Int, _ request: LeaseMachine.Request) {
        nodes[index].request += 1
        var delay = 0
        switch request {
        case .read(let after), .write(_, _, let after): delay = Int(after / .milliseconds(1))
        case .nothing: return
        }
        queue.append((now + delay, .send(index, request, request: nodes[index].request)))
    }

    private mutating func observe(_ index: Int, sent: Int) {
        let role = nodes[index].machine.role
        if role != nodes[index].role, case .leader(let epoch) = role {
            if epochs.contains(epoch) { findings.append("epoch \(epoch) is used twice") }
            epochs.append(epoch)
        }
        nodes[index].role = role
    }

    mutating func run(until end: Int) {
        while let index = queue.indices.min(by: { queue[$0].time < queue[$1].time }), queue[index].time <= end {
            let (time, event) = queue.remove(at: index)
            now = max(now, time)
            perform(event)
        }
        now = end
    }

    private mutating func perform(_ event: Event) {
        switch event {
        case .send(let index, let request, let number):
            guard nodes[index].isRunning, nodes[index].request == number else { return }
            guard now >= nodes[index].pausedUntil else {
                queue.append((nodes[index].pausedUntil, event))
                return
            }
            send(index, request, number)
        case .write(let index, let lease, let replacing, let number):
            write(index, lease, replacing, number)
        case .answer(let index, let input, let number, let sent):
            guard nodes[index].isRunning, nodes[index].request == number else { return }
            guard now >= nodes[index].pausedUntil else {
                queue.append((nodes[index].pausedUntil, event))
                return
            }
            if input != .failed { nodes[index].proof = sent }
            let request = nodes[index].machine.step(input, at: .milliseconds(now))
            observe(index, sent: sent)
            if case .leader = nodes[index].role, now - nodes[index].proof >= 12_000 {
                findings.append("a node leads \(now - nodes[index].proof) ms after its last proof")
            }
            issue(index, request)
        }
    }

    private mutating func send(_ index: Int, _ request: LeaseMachine.Request, _ number: Int) {
        let isStalled = now < stalledUntil
        switch request {
        case .read:
            let fails = isFaulty() || isStalled
            let input: LeaseMachine.Input = fails ? .failed : .read(stored)
            queue.append((now + (fails ? 2000 : delay()), .answer(index, input, request: number, sent: now)))
        case .write(let lease, let replacing, _):
            // It may arrive late, long after its sender has given it up.
            let late = isFaulty() ? Int.random(in: 0..<20_000, using: &random) : delay()
            if isStalled || isFaulty() {
                queue.append((now + 2000, .answer(index, .failed, request: number, sent: now)))
            } else {
                queue.append((now + late, .write(index, lease, replacing: replacing, request: number)))
                if late > 1000 { queue.append((now + 2000, .answer(index, .failed, request: number, sent: now))) }
            }
        case .nothing: break
        }
    }

    private mutating func write(_ index: Int, _ lease: Lease, _ replacing: UInt64?, _ number: Int) {
        let isRight = replacing == stored?.revision
        if isRight {
            revision += UInt64.random(in: 1...3, using: &random)
            stored = LeaseMachine.Reading(lease: lease, revision: revision)
        }
        let isLost = isFaulty()
        let input: LeaseMachine.Input = isRight && !isLost ? .written(revision: revision) : .failed
        queue.append((now + (isLost ? 2000 : delay()), .answer(index, input, request: number, sent: now)))
    }

    private mutating func delay() -> Int { Int.random(in: 1...40, using: &random) }

    var leaders: [Int] {
        nodes.indices.filter { index in
            if case .leader = nodes[index].role { return nodes[index].isRunning }
            return false
        }
    }

    /// Some minutes of faults.
    mutating func disturb(rounds: Int) {
        for _ in 0..<rounds {
            let index = Int.random(in: nodes.indices, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: if nodes[index].isRunning { end(index) } else { start(index) }
            case 1: nodes[index].pausedUntil = now + Int.random(in: 0..<25_000, using: &random)
            case 2: stalledUntil = now + Int.random(in: 0..<15_000, using: &random)
            case 3 where nodes[index].isRunning:
                let request = nodes[index].machine.lose()
                observe(index, sent: now)
                issue(index, request)
            case 4 where nodes[index].isRunning: handOver(index, to: Int.random(in: nodes.indices, using: &random))
            default: break
            }
            run(until: now + Int.random(in: 100..<12_000, using: &random))
        }
        faults = 0
        for index in nodes.indices {
            nodes[index].pausedUntil = 0
            if !nodes[index].isRunning { start(index) }
        }
        stalledUntil = 0
        // Late writes of the past arrive, and the leader of that moment goes on.
        run(until: now + 45_000)
    }
}
