package import FencepostModel

/// One thing that happens in a simulation.
package enum Step: Hashable, Sendable {
    /// A phone sends fixes, and repeats the request until it has a success.
    case send(device: Int, count: Int, Sending)
    case wait(seconds: Int)
    /// Regions are added, replaced and removed; the number seeds which.
    case editRegions(seed: UInt64)
    /// A proximity rule or a plan is added, replaced or removed as the API does; the number seeds which.
    case editRules(seed: UInt64)
    /// A file of a device's past is imported, in a walk of so many hours or of what was sent before.
    case importFile(device: Int, count: Int, hours: Int)
    case endpoint(Int, EndpointChange)
    case receiver(Int, SimulatedNetwork.Behaviour)
    /// A device is erased with its history.
    case erase(device: Int)
    /// The process is killed.
    case kill
    /// The power fails.
    case losePower(PowerLoss)
    /// The power fails, or the process is killed, before a coming operation of the disk.
    case die(afterOperations: Int, PowerLoss)
    /// The service is stopped and started, perhaps with other settings.
    case restart(CrossingMode?)
    case fault(SimulatedDisk.Fault, seconds: Int)
    case fillDisk(seconds: Int)
    /// The wall clock is set wrong for a while.
    case clock(offBy: Int, seconds: Int)
    /// The service starts with a wrong wall clock, which is set right later.
    case startWithClock(offBy: Int, seconds: Int)
    /// Maintenance with all work, as after a long time.
    case maintain
    /// Nothing happens until all is quiet; then everything is compared.
    case check

    /// In which form a phone sends fixes.
    package enum Sending: Hashable, Sendable, CaseIterable {
        /// The newest fixes, in order.
        case fresh
        case shuffled
        /// Older than what was sent before.
        case late
        /// A request that was acknowledged, again.
        case repeated
        /// The newest fixes, and records whose time is impossible.
        case withRejected
    }

    /// A change of an endpoint over the API.
    package enum EndpointChange: Hashable, Sendable {
        case add(isOrdered: Bool)
        case remove
        case enable
    }

    /// Whether the step is a fault, or damage, rather than use. A failure is shrunk by these first.
    package var isFault: Bool {
        switch self {
        case .send, .importFile, .wait, .editRegions, .editRules, .endpoint, .erase, .maintain, .check: false
        case .receiver, .kill, .losePower, .die, .restart, .fault, .fillDisk, .clock, .startWithClock: true
        }
    }
}

/// What happens in a simulation, and in which world: everything follows from the seed.
package struct Plan: Sendable {
    package var seed: UInt64
    package var kind = Kind.days
    package var isRelaxed: Bool
    package var crossing: CrossingMode
    package var hasVisits: Bool
    /// Whether there are rules about devices near each other and plans. The phones stay near each other then, and nothing expires,
    /// so that what a start reads is what was in memory.
    package var hasRules = false
    /// How long data is kept, in hours.
    package var retentionHours: Int
    /// Operations of the disk after which the power fails during the first start; `nil` for never.
    package var firstDeath: Int?
    /// What it leaves; `nil` for any kind of loss.
    package var firstLoss: PowerLoss?
    /// What fails from the end of the first start on, until all steps are done.
    package var fault: SimulatedDisk.Fault?
    /// The allocation of SQLite that fails from then on; `nil` for none.
    package var failingAllocation: Int?
    /// The device whose evaluation ends the process, from the given step on until all steps are done; `nil` for none.
    package var poisoned: (device: Int, from: Int)?
    /// Whether syncs of the disk do nothing.
    package var liesAboutSyncs = false
    /// With the number that each step has in the full plan.
    package var steps: [(number: Int, step: Step)]

    /// What matters in a world.
    package enum Kind: String, Sendable, CaseIterable {
        /// Some days, with everything that can happen at the same time.
        case days
        /// Some months to years: retention, silent devices and endpoints that failed for days.
        case months
        /// Late locations and imports, whose events are evaluated again. The regions do not change, nothing expires and
        /// the clock is right, so that what must hold in the end is known.
        case history
    }

    /// The full plan of a seed.
    package init(seed: UInt64, kind: Kind = .days) {
        self.seed = seed
        self.kind = kind
        var random = SplitMix64(seed: seed)
        isRelaxed = Int.random(in: 0..<4, using: &random) == 0
        crossing = CrossingMode.allCases.randomElement(using: &random) ?? .raw
        hasVisits = Bool.random(using: &random)
        hasRules = kind != .months && !seed.isMultiple(of: 2)
        retentionHours = [30, 60, 24 * 30].randomElement(using: &random) ?? 30
        firstDeath = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...150, using: &random) : nil
        let count = Int.random(in: 20...70, using: &random)
        // A world without faults of the disk, of clocks or of receivers finds what others hide.
        var kinds = (0..<4).map { _ in Int.random(in: 0..<4, using: &random) > 0 }
        if kinds.allSatisfy({ !$0 }) { kinds[0] = true }
        steps = []
        for number in 0..<count { steps.append((number, Self.step(kinds, using: &random))) }
        switch kind {
        case .days: if hasRules { addRules(using: &random) }
        case .months: lengthen(using: &random)
        case .history:
            addHistory(using: &random)
            if seed.isMultiple(of: 3) {
                poisoned = (Int(seed / 3 % UInt64(Self.deviceCount)), Int(seed / 12 % UInt64(count)))
            }
        }
    }

    /// Makes half of what phones send late, and replaces what leaves open which events must hold.
    private mutating func addHistory(using random: inout SplitMix64) {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        (isRelaxed, firstDeath, retentionHours) = (false, nil, 24 * 4000)
        for index in steps.indices {
            switch steps[index].step {
            case .send(let device, let count, .fresh) where number(0...1) == 0:
                steps[index].step = .send(device: device, count: count, .late)
            case .editRegions, .clock, .startWithClock:
                steps[index].step = .importFile(
                    device: number(0...Self.deviceCount - 1), count: number(1...number(20...400)),
                    hours: number(1...2000))
            case .restart: steps[index].step = .restart(nil)
            case .send, .importFile, .wait, .editRules, .endpoint, .receiver, .erase, .kill, .losePower, .die, .fault,
                .fillDisk, .maintain, .check:
                break
            }
        }
    }

    /// Adds changes of rules, the first one at once.
    private mutating func addRules(using random: inout SplitMix64) {
        retentionHours = 24 * 400
        let count = Int.random(in: 2...8, using: &random)
        for number in 0..<count {
            let index = number < 2 ? 0 : Int.random(in: 0...steps.count, using: &random)
            steps.insert((1000 + number, .editRules(seed: random.next())), at: index)
        }
    }

    /// Makes its waits 30 times as long, and adds some of up to two months.
    private mutating func lengthen(using random: inout SplitMix64) {
        retentionHours = [24 * 7, 24 * 30, 24 * 400].randomElement(using: &random) ?? 24 * 30
        for index in steps.indices {
            switch steps[index].step {
            case .wait(let seconds): steps[index].step = .wait(seconds: seconds * 30)
            case .send(_, _, .fresh) where Int.random(in: 0..<4, using: &random) == 0:
                steps[index].step = .wait(seconds: Int.random(in: 86_400...60 * 86_400, using: &random))
            case .send, .importFile, .editRegions, .editRules, .endpoint, .receiver, .erase, .kill, .losePower, .die,
                .restart,
                .fault, .fillDisk, .clock, .startWithClock, .maintain, .check:
                break
            }
        }
    }

    /// A world with given steps and without faults.
    package init(seed: UInt64, isRelaxed: Bool, crossing: CrossingMode = .raw, steps: [Step]) {
        self.seed = seed
        self.isRelaxed = isRelaxed
        self.crossing = crossing
        hasVisits = true
        retentionHours = 24 * 30
        self.steps = steps.enumerated().map { ($0.offset, $0.element) }
    }

    /// The same world with other steps.
    package func keeping(_ steps: [(number: Int, step: Step)]) -> Plan {
        var plan = self
        plan.steps = steps
        return plan
    }

    static let deviceCount = 4
    static let endpointCount = 3

    private static func step(_ kinds: [Bool], using random: inout SplitMix64) -> Step {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        switch number(0...99) {
        case 0..<42:
            let sending = number(0...1) == 0 ? .fresh : Step.Sending.allCases.randomElement(using: &random) ?? .fresh
            return .send(device: number(0...deviceCount - 1), count: number(1...25), sending)
        case 42..<48: return .wait(seconds: number(1...900))
        case 48..<51: return .wait(seconds: number(3600...100_000))
        case 51..<58: return .editRegions(seed: random.next())
        case 58..<60: return .erase(device: number(0...deviceCount - 1))
        case 60..<63: return .maintain
        case 63..<66: return .restart(number(0...2) == 0 ? CrossingMode.allCases.randomElement(using: &random) : nil)
        case 66..<68: return .check
        case 68..<72:
            let endpoint = number(1...endpointCount - 1)
            switch number(0...3) {
            case 0: return .endpoint(endpoint, .remove)
            case 1: return .endpoint(endpoint, .enable)
            default: return .endpoint(endpoint, .add(isOrdered: endpoint == 1))
            }
        case 72..<80 where kinds[0]: return crash(using: &random)
        case 80..<85 where kinds[1]: return fault(using: &random)
        case 85..<87 where kinds[1]: return .fillDisk(seconds: number(5...600))
        case 87..<94 where kinds[2]:
            let behaviours: [SimulatedNetwork.Behaviour] = [
                .healthy, .flaky, .flaky, .status(500), .status(503), .status(404), .status(410),
                .busy(seconds: number(1...4000)), .hangs, .slow(seconds: number(1...20)),
            ]
            // The first endpoint always works in the end, and is never disabled.
            let endpoint = number(0...endpointCount - 1)
            let behaviour = behaviours.randomElement(using: &random) ?? .healthy
            return .receiver(endpoint, endpoint == 0 && behaviour != .healthy ? .flaky : behaviour)
        case 94...99 where kinds[3]:
            switch number(0...3) {
            case 0: return .startWithClock(offBy: 86_400 * number(100...800), seconds: number(20...20_000))
            case 1: return .startWithClock(offBy: -86_400 * number(30...800), seconds: number(20...20_000))
            default: return .clock(offBy: number(-40_000...40_000), seconds: number(10...9000))
            }
        default:
            return .send(device: number(0...deviceCount - 1), count: number(1...8), .fresh)
        }
    }

    private static func crash(using random: inout SplitMix64) -> Step {
        let loss = PowerLoss.allCases.randomElement(using: &random) ?? .nothing
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .kill
        case 1: return .losePower(loss)
        default: return .die(afterOperations: Int.random(in: 1...120, using: &random), loss)
        }
    }

    private static func fault(using random: inout SplitMix64) -> Step {
        let operation = [SimulatedDisk.Operation.read, .write, .write, .sync, .sync, .truncate, .open]
            .randomElement(using: &random)
        let code: SimulatedDisk.Fault.Code =
            Int.random(in: 0..<3, using: &random) == 0 && operation == .write
            ? .full : .inputOutput
        return .fault(
            SimulatedDisk.Fault(
                operation, number: Int.random(in: 1...40, using: &random), code: code,
                isLasting: Bool.random(using: &random)),
            seconds: Int.random(in: 5...400, using: &random))
    }
}
