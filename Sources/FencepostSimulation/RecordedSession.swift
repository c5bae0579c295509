import FencepostModel
package import Foundation

/// A session of the service with all changes of its disk, from which power losses at any moment are made.
package struct RecordedSession {
    private let plan: Plan
    private let record: [(name: String, change: DiskChange)]
    private let journal: Journal
    private let marks: [Int]
    private let events: [Oracle.Emitted]

    /// Simulates a session of phones, changes of regions, messages, maintenance and checkpoints.
    ///
    /// - Throws: the violation, when the session itself fails.
    package init(seed: UInt64, isRelaxed: Bool, liesAboutSyncs: Bool = false) throws {
        var random = SplitMix64(seed: seed)
        var steps: [Step] = []
        for number in 0..<70 {
            switch number % 10 {
            case 2: steps.append(.editRegions(seed: random.next()))
            case 6 where number > 20: steps.append(.maintain)
            case 8: steps.append(.wait(seconds: Int.random(in: 10...700, using: &random)))
            default:
                let sending = [Step.Sending.fresh, .fresh, .late, .repeated].randomElement(using: &random) ?? .fresh
                steps.append(
                    .send(
                        device: number % Plan.deviceCount, count: Int.random(in: 5...25, using: &random), sending))
            }
        }
        var plan = Plan(seed: seed, isRelaxed: isRelaxed, steps: steps)
        plan.liesAboutSyncs = liesAboutSyncs
        self.plan = plan
        let folder = try ScratchFolder()
        let world = World(plan, folder: folder.url, records: true)
        let end = world.executor.run(limit: 2_000_000) { await world.run() }
        if let violation = world.violations.first { throw violation }
        guard end == .finished else { throw Violation.stuck("the session does not end") }
        var oracle = Oracle()
        try oracle.follow(world.journal)
        events = oracle.events
        (record, journal, marks) = (world.record, world.journal, world.journal.marks)
        guard marks.count == journal.count else {
            throw Violation.unexpected(
                "\(marks.count) acknowledgements of \(journal.count) commits, the last ones after the changes "
                    + "\(marks.suffix(3)) of \(record.count)")
        }
    }

    /// Commits in the session.
    package var commits: Int { journal.count }

    /// What a number of power losses have left.
    package struct Result: Sendable {
        /// Broken promises, each with the image that shows it.
        package var problems: [String] = []
        /// Images that end before an acknowledged commit.
        package var behind = 0
        /// Images that do not open, or that the store calls damaged.
        package var damaged = 0
        /// The positions that the images end at.
        package var positions: Set<Int> = []
    }

    /// Lets the power fail at random moments, starts the service on what is left, and compares it with the journal and
    /// the oracle.
    package func check(images: Int, seed: UInt64) -> Result {
        var random = SplitMix64(seed: seed)
        var result = Result()
        let cuts = (0..<images).map { _ in Int.random(in: 0...record.count, using: &random) }.sorted()
        var (disk, applied) = (DiskState(), 0)
        for (number, cut) in cuts.enumerated() {
            for (name, change) in record[applied..<cut] { disk.apply(change, to: name) }
            applied = cut
            let losses = PowerLoss.allCases
            let loss = losses[number % losses.count]
            let files = disk.surviving(loss, using: &random)
            let acknowledged = marks.count { $0 <= cut }
            let (position, violation) = recover(files, atLeast: acknowledged)
            let name = "image \(number) (\(loss) after \(cut) of \(record.count) changes)"
            if case .damaged = violation { result.damaged += 1 }
            if let violation { result.problems.append("\(name): \(violation)") }
            result.positions.insert(position)
            if position < acknowledged { result.behind += 1 }
        }
        return result
    }

    private func recover(_ files: [String: [UInt8]], atLeast acknowledged: Int) -> (Int, Violation?) {
        guard let folder = try? ScratchFolder() else { return (0, .unexpected("there is no folder")) }
        let journal = journal.prefix(journal.count)
        let world = World(
            Plan(seed: plan.seed, isRelaxed: plan.isRelaxed, steps: []), folder: folder.url, journal: journal)
        let events = events
        let end = world.executor.run(limit: 200_000) { await world.recover(files: files, events: events) }
        if let violation = world.violations.first { return (journal.count, violation) }
        guard end == .finished else { return (journal.count, .stuck("the service does not start on the image")) }
        guard journal.count >= acknowledged || plan.isRelaxed || plan.liesAboutSyncs else {
            return (journal.count, .lost("\(acknowledged) commits were acknowledged, \(journal.count) are there"))
        }
        return (journal.count, nil)
    }
}

/// A folder that is removed with the value, in memory if there is such a file system.
package final class ScratchFolder: Sendable {
    package let url: URL

    package init() throws {
        let memory = URL(filePath: "/dev/shm")
        let parent = access(memory.path, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory
        url = parent.appending(path: "fencepost-simulation-\(getpid())-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
