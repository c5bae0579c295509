import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import FencepostStore
package import Foundation
import Synchronization

/// A simulated world: phones, regions, receivers, a machine with a disk and clocks, and one run of the service after the
/// other. It performs the steps of a plan and compares what it sees with its model.
package final class World: Sendable {
    struct State {
        var machine: Machine?
        var running: Task<Void, Never>?
        var random: SplitMix64
        var boots = 0
        var crossing: CrossingMode
        /// Whether the last commits may be missing at the next start.
        var mayLoseEnd = false
        var violations: [Violation] = []
        /// The number of the step that is performed.
        var step = -1
        /// Requests of phones that have no success yet.
        var sending: [Task<Void, Never>] = []
        /// How many of them have not ended.
        var busy = 0
        var phones: [Phone]
        /// True time of the acknowledgement of each fix.
        var acknowledged: [FixKey: Timestamp] = [:]
        /// What phones and files have sent, acknowledged or not, and when it was sent last.
        var sent: [FixKey: (forms: Set<Location>, last: Timestamp)] = [:]
        /// Devices that were erased, with the true time at which the erasure began.
        var erased: [DeviceID: Timestamp] = [:]
        /// Devices whose last erasure had a success.
        var erasures: Set<DeviceID> = []
        var endpoints: [String: Timestamp] = [:]
        var acknowledgements = 0
        var crashes = 0
        /// Operations of the disks, and allocations, that failed.
        var faults = 0
        /// Allocations of SQLite while one was to fail.
        var allocations = 0
        var diskTrace = TraceHash()
        /// The changes of the last disk, if they are recorded.
        var record: [(name: String, change: DiskChange)] = []
    }

    /// One device, as it moves.
    struct Phone {
        var east = 0.0
        var north = 0.0
        var last: Timestamp
        /// What was acknowledged, to be sent again.
        var sent: [Location] = []
    }

    static let start = FencepostVersion.released + .seconds(10 * 86_400)
    static let plane = LocalPlane(origin: Coordinate(latitude: 48.85, longitude: 2.35))

    let plan: Plan
    let folder: URL
    package let time: SimulatedTime
    package let network: SimulatedNetwork
    package let journal: Journal
    let pace = Machine.Pace()
    let state: Mutex<State>
    let oracle: Mutex<OracleBox>
    /// What the processes know of each other's ends.
    private let workMemory = WorkMemory()
    /// The device whose evaluation ends the process now.
    let poisoned = Mutex<DeviceID?>(nil)
    /// Whether all changes of the disks are recorded.
    let records: Bool
    /// Called before each step.
    let onStep: @Sendable (Int, Step) -> Void
    /// Runs everything in the world.
    package let executor: SeededExecutor

    /// The memory of a file that is mapped by one process after the other.
    private final class WorkMemory: @unchecked Sendable {  // because one thread runs the world
        let start = UnsafeMutableRawPointer.allocate(byteCount: WorkJournal.byteCount, alignment: 64)

        init() { start.initializeMemory(as: UInt8.self, repeating: 0, count: WorkJournal.byteCount) }

        deinit { start.deallocate() }
    }

    /// A class, since an oracle cannot be copied and a lock needs a value that can be passed on.
    final class OracleBox {
        var oracle = Oracle()
        /// Whether it has evaluated a longer journal than that of the database.
        var isComplete = false
    }

    /// More than five parameters, because some runs share a clock or a journal and others have their own.
    ///
    /// `folder`: an empty folder for the files of the disks.
    package init(
        _ plan: Plan, folder: URL, time: SimulatedTime = SimulatedTime(World.start), journal: Journal = Journal(),
        records: Bool = false, onStep: @escaping @Sendable (Int, Step) -> Void = { _, _ in }
    ) {
        self.onStep = onStep
        self.time = time
        self.plan = plan
        self.folder = folder
        self.records = records
        self.journal = journal
        executor = SeededExecutor(seed: plan.seed ^ 0x33, time: time)
        network = SimulatedNetwork(seed: plan.seed ^ 0x11, time: time)
        state = Mutex(
            State(
                random: SplitMix64(seed: plan.seed ^ 0x22), crossing: plan.crossing,
                phones: (0..<Plan.deviceCount).map { _ in Phone(last: World.start) }))
        oracle = Mutex(OracleBox())
    }

    /// What was found so far.
    package var violations: [Violation] { state.withLock { $0.violations } }
    /// The step during which the first violation was found.
    package var step: Int { state.withLock { $0.step } }
    /// Acknowledged fixes so far.
    package var acknowledgedCount: Int { state.withLock { $0.acknowledgements } }
    /// All changes of the last disk, if they are recorded.
    package var record: [(name: String, change: DiskChange)] { state.withLock { $0.record } }
    package var crashCount: Int { state.withLock { $0.crashes } }
    /// Operations of the disks that failed.
    package var faultCount: Int { state.withLock { $0.faults } }
    /// Allocations of SQLite from the failing one's setting to the end of the steps.
    package var allocationCount: Int { state.withLock { $0.allocations } }
    /// Hash of the operations of all disks that ended.
    package var diskTrace: UInt64 { state.withLock { $0.diskTrace.value } }
    /// The disk of the service that runs.
    package var disk: SimulatedDisk? { state.withLock { $0.machine?.disk } }

    func report(_ violation: Violation) {
        state.withLock { $0.violations.append(violation) }
    }

    func random(_ range: ClosedRange<Int>) -> Int {
        state.withLock { state in Int.random(in: range, using: &state.random) }
    }

    var machine: Machine? { state.withLock { $0.machine } }

    // MARK: The run

    /// Performs all steps, heals everything, and compares. Ends early after a violation.
    package func run() async {
        // Before the first commit. One that succeeds without a machine, while it starts or stops, counts as not acknowledged.
        if records { journal.setMark { [weak self] in self?.disk?.recordCount ?? .max } }
        await boot(files: [:], death: plan.firstDeath)
        if machine?.disk.isDead ?? false { await crash(plan.firstLoss ?? .prefix) }
        await addEndpoint(0, isOrdered: false)
        await addEndpoint(1, isOrdered: true)
        // Regions that are there before all fixes apply to all times.
        if plan.kind == .history { await editRegions(plan.seed) }
        if plan.kind == .history, plan.hasRules { await setUpPairs() }
        machine?.disk.set(plan.fault)
        machine?.disk.setLying(plan.liesAboutSyncs)
        if plan.failingAllocation != nil { MemoryFault.set(number: plan.failingAllocation) }
        for (number, step) in plan.steps {
            guard violations.isEmpty else { break }
            state.withLock { $0.step = number }
            if let (device, from) = plan.poisoned, number == from {
                poisoned.withLock { $0 = DeviceID("device-\(device)") }
            }
            onStep(number, step)
            await perform(step)
            // A program that has failed ends, and is started again.
            if machine?.hasFailed != nil || machine?.disk.isDead ?? false { await crash(.everything) }
            await pause(.milliseconds(random(1...20_000)))
        }
        if violations.isEmpty { await finish() }
        let record = machine?.disk.record ?? []
        await stop()
        state.withLock { $0.record = record }
        for task in state.withLock({ $0.sending }) { task.cancel() }
        for task in state.withLock({ $0.sending }) { await task.value }
    }

    func pause(_ span: Duration) async {
        // Long quiet times pass with fewer ticks.
        pace.value = span > .seconds(86_400) ? 3600 : span > .seconds(1800) ? 300 : span > .seconds(120) ? 20 : 1
        try? await time.sleep(for: span)
        pace.value = 1
    }

    /// Starts the service on the files that a power loss has left, and compares.
    ///
    /// `events`: those of the oracle for the whole journal.
    package func recover(files: [String: [UInt8]], events: [Oracle.Emitted]) async {
        oracle.withLock { box in
            box.isComplete = true
            box.oracle.take(events)
        }
        state.withLock { $0.mayLoseEnd = true }
        await boot(files: files)
        await check()
        await stop()
    }

    /// Everything works again; what was promised must be true within the time that retries take.
    private func finish() async {
        state.withLock { $0.step = plan.steps.last.map { $0.number + 1 } ?? 0 }
        time.setWall(offBy: .zero)
        network.heal()
        if records { return await check() }
        if plan.failingAllocation != nil {
            state.withLock { $0.allocations = MemoryFault.count }
            MemoryFault.set(number: nil)
        }
        machine?.disk.set(nil)
        machine?.disk.setFull(false)
        await restart(nil)
        if plan.poisoned != nil { await releasePoisoned() }
        await check()
        guard violations.isEmpty else { return }
        // The longest pause that a receiver can ask for, and the longest delay after that.
        for _ in 0..<20 {
            if let pending = try? await machine?.store.backlog().pending, pending == 0 { break }
            await pause(.seconds(10_000))
        }
        await check()
        guard violations.isEmpty else { return }
        await checkDeliveries()
    }

    // MARK: The machine

    /// Starts the service on a disk with these files, as often as it takes.
    ///
    /// `death`: operations of the disk after which the power fails.
    func boot(files: [String: [UInt8]], death: Int? = nil) async {
        let number = state.withLock { state in
            state.boots += 1
            return state.boots
        }
        let directory = folder.appending(path: "boot-\(number)")
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for (name, bytes) in files { try Data(bytes).write(to: directory.appending(path: name)) }
            let disk = try SimulatedDisk(folder: directory, records: records)
            if let death { disk.die(after: death) }
            for attempt in 1...50 {
                do {
                    return run(try makeMachine(directory, disk))
                } catch {
                    if disk.isDead { break }
                    if attempt == 50 { return report(.damaged("the database does not open: \(error)")) }
                    try? await time.sleep(for: .seconds(1))
                }
            }
            disk.remove()
            var random = SplitMix64(seed: UInt64(self.random(0...Int.max)))
            let loss = plan.firstLoss ?? PowerLoss.allCases.randomElement(using: &random) ?? .nothing
            await boot(files: disk.surviving(loss, using: &random))
        } catch {
            report(.unexpected("the simulation cannot write its files: \(error)"))
        }
    }

    private func makeMachine(_ folder: URL, _ disk: SimulatedDisk) throws -> Machine {
        try Machine(
            folder: folder, disk: disk, plan: plan, crossing: state.withLock { $0.crossing },
            mayLoseEnd: state.withLock { $0.mayLoseEnd },
            in: Machine.Surroundings(
                time: time, network: network, journal: journal, pace: pace,
                workJournal: { [workMemory] willEvaluate in
                    WorkJournal(
                        workMemory.start, version: "", willBegin: { _, id in willEvaluate(DeviceID(id)) },
                        free: { _ in withExtendedLifetime(workMemory) {} })
                }, endsProcess: { device in self.poisoned.withLock { $0 == device } }, random: { self.random($0) },
                report: { self.report($0) }))
    }

    private func run(_ machine: Machine) {
        let running = Task(executorPreference: executor) { await machine.run() }
        state.withLock { ($0.machine, $0.running) = (machine, running) }
    }

    /// Ends the run of the service in an orderly way.
    func stop() async {
        let (machine, running) = state.withLock { state in
            defer { (state.machine, state.running) = (nil, nil) }
            return (state.machine, state.running)
        }
        guard let machine else { return }
        running?.cancel()
        await running?.value
        try? machine.store.close()
        machine.disk.remove()
        state.withLock { state in
            state.diskTrace.add(machine.disk.trace)
            state.faults += machine.disk.faultCount
        }
    }

    /// The files of the machine, without the folder.
    private func remove(_ folder: URL) { try? FileManager.default.removeItem(at: folder) }

    /// Stops the service and starts it again, perhaps with another mode.
    func restart(_ crossing: CrossingMode?) async {
        guard let machine else { return }
        // Before that the journal does not know yet what a power loss has left.
        let hasLoaded = machine.worker.readiness().isReady
        await stop()
        if let crossing { state.withLock { $0.crossing = crossing } }
        if hasLoaded { state.withLock { $0.mayLoseEnd = false } }
        var random = SplitMix64(seed: 0)
        await boot(files: machine.disk.surviving(.everything, using: &random))
        remove(machine.folder)
    }

    /// Ends the run of the service at once, and starts it with what the disk holds.
    func crash(_ loss: PowerLoss) async {
        guard let machine else { return }
        // Before that the journal does not know yet what an earlier power loss has left.
        let hasLoaded = machine.worker.readiness().isReady
        machine.disk.die()
        state.withLock { $0.crashes += 1 }
        var random = SplitMix64(seed: UInt64(self.random(0...Int.max)))
        let files = machine.disk.surviving(loss, using: &random)
        await stop()
        state.withLock { $0.mayLoseEnd = plan.isRelaxed && (loss != .everything || $0.mayLoseEnd && !hasLoaded) }
        await boot(files: files)
        remove(machine.folder)
    }
}
