import FencepostCluster
import FencepostTesting

/// A node's copy, service and lease, which answer the tasks of its machine at random and know what may be asked of them.
struct NodeWorld {
    private(set) var machine: NodeMachine
    private(set) var task: NodeMachine.Task
    private(set) var transitions: Set<NodeTransition> = []
    /// What was wrong with what the machine asked for.
    private(set) var faults: [String] = []
    private(set) var isStopping = false
    private(set) var leaderships = 0
    private(set) var isReleased = false
    private var random: SeededGenerator
    private var hasFile: Bool
    private var isOpen = false
    private var isServing = false
    private var isAskedToEnd = false
    private var role = LeaseMachine.Role.follower
    private var epoch: UInt64 = 0
    /// The epoch whose record the log has.
    private var appended: UInt64?
    /// Whether the lease does what the node wished last, which is announced later.
    private var isLosing = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        hasFile = Bool.random(using: &random)
        machine = NodeMachine(restsWhenIdle: Bool.random(using: &random))
        task = machine.begin(hasFile: hasFile, isHolder: Bool.random(using: &random))
    }

    /// A random signal or result.
    mutating func step() {
        let former = machine.state
        // While a service runs and was not asked to end, only signals come, most of the time.
        let isSignal = isServing && !isAskedToEnd ? chance(0.95) : chance(0.2)
        if isSignal || isLosing {
            signal(isLosing ? .lease(.follower) : randomSignal())
        } else {
            answer()
        }
        transitions.insert(NodeTransition(former, machine.state))
    }

    /// The process is asked to end; afterwards every task succeeds.
    mutating func stop() {
        isStopping = true
        isAskedToEnd = true
        let former = machine.state
        perform(machine.signal(.stop))
        transitions.insert(NodeTransition(former, machine.state))
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    private mutating func randomSignal() -> NodeMachine.Signal {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .holder(true)
        case 1: return .holder(false)
        case 2 where hasFile && !isReleased:
            isReleased = true
            return .release
        case 3...4: return .handOver(to: "b")
        case 5 where isServing: return .appendFailed(Self.failures.randomElement(using: &random) ?? .behind)
        case 6: return .lease(.follower)
        default:
            if case .leader = role { return .lease(role) }
            // A claim may have been on its way when the node could lead no longer.
            guard machine.canLead || chance(0.1) else { return .lease(.follower) }
            epoch += 1
            return .lease(.leader(epoch: epoch))
        }
    }

    private static let failures: [LogFailure] = [
        .deposed(epoch: 9), .diverged, .behind, .forgotten(end: 3), .hole(after: 4), .full, .tooLarge, .unavailable,
        .newerFormat(sequence: 5),
    ]

    private mutating func signal(_ signal: NodeMachine.Signal) {
        if case .lease(let role) = signal { (self.role, isLosing) = (role, false) }
        perform(machine.signal(signal))
    }

    private mutating func perform(_ effects: [NodeMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .wake: break
            case .stopService:
                if !isServing { faults.append("a service is stopped that does not run") }
                isAskedToEnd = true
            case .handOver, .lose, .trimAndLose:
                if case .leader = role { isLosing = true }
            }
        }
    }

    private mutating func answer() {
        let result = result()
        let answer = machine.step(result)
        perform(answer.effects)
        task = answer.task
        check()
    }

    /// Whether what the machine asks for can be done.
    private mutating func check() {
        switch task {
        case .apply, .look, .takeOver, .trim, .checkDisk:
            if !isOpen { faults.append("\(task) with a closed copy") }
        case .open, .fetch, .remove:
            if isOpen { close(isAllowed: isFetch) }
            if task == .remove, !isReleased { faults.append("a copy is removed that is not released") }
        case .lead(let epoch):
            if appended != epoch { faults.append("a service without its record in the log") }
            if role != .leader(epoch: epoch) { faults.append("a service without the lease") }
        case .end: if isOpen { faults.append("the end with an open copy") }
        case .wait, .pause, .close: break
        }
        if isServing { faults.append("\(task) while a service runs") }
        if case .lead = task { (isServing, isOpen, isAskedToEnd) = (true, false, isStopping) }
    }

    private var isFetch: Bool { if case .fetch = task { true } else { false } }

    private mutating func close(isAllowed: Bool) {
        if !isAllowed { faults.append("\(task) with an open copy") }
        isOpen = false
    }

    private mutating func result() -> NodeMachine.Result {
        let isGood = isStopping || chance(0.8)
        switch task {
        case .wait, .pause, .end: return .awake
        case .open(let opening):
            if !isGood { return opening == .first ? .lacksStart : chance(0.5) ? .diskFull : .refused("No.") }
            (isOpen, hasFile) = (true, true)
            return .opened
        case .fetch(_, let deadly):
            guard isGood else { return deadly != nil && chance(0.5) ? .isInnocent : .notFetched }
            hasFile = true
            return .fetched
        case .apply:
            guard isGood else { return failure() }
            return .applied(count: Int.random(in: 0...3, using: &random), isEnd: chance(0.8))
        case .look: return isGood ? .looked(mayLead: chance(0.8)) : failure()
        case .takeOver(let epoch):
            guard isGood else { return failure() }
            appended = epoch
            return .tookOver
        case .trim: return .trimmed(isGood)
        case .lead:
            (isServing, isAskedToEnd) = (false, false)
            leaderships += 1
            return isGood ? .served : chance(0.5) ? .diskFull : .refused("No.")
        case .checkDisk: return isGood ? .hasRoom : .diskFull
        case .close:
            isOpen = false
            return .closed
        case .remove:
            (hasFile, isReleased) = (false, false)
            return .removed
        }
    }

    private mutating func failure() -> NodeMachine.Result {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .diskFull
        case 1 where chance(0.2): .refused("No.")
        case 2:
            .setAside(NodeMachine.SetAside(position: 9, isFaulty: Bool.random(using: &random), behind: 8))
        default: .failed(Self.failures.randomElement(using: &random) ?? .behind)
        }
    }
}
