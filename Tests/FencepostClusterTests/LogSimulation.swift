import FencepostCluster
import FencepostModel
import FencepostTesting

/// Three nodes that take over from each other and append to one log, over a network that loses, delays and repeats.
///
/// Everything follows from the seed. A server stores a record only behind the expected sequence, as JetStream does, and has its
/// faults too: refusals that are wrong, answers that are lost, ends that are old, records that arrive long after their sender gave up,
/// and bytes that no node wrote.
struct LogSimulation {
    struct Writer {
        var epoch: UInt64?
        var isLeading = false
        var applied: UInt64 = 0
        var run: UInt64
        var records: UInt64 = 0
        var append: LogAppend?
        var record: LogRecord?
        var start = 0
        /// Counts the steps, so that an answer to an earlier one is ignored.
        var attempt = 0
    }

    enum Event {
        case begin(Int)
        case arrive(Int, attempt: Int, LogRecord, behind: UInt64)
        case input(Int, attempt: Int, LogAppend.Input)
    }

    struct Stored {
        var sequence: UInt64
        var predecessor: UInt64
        /// `nil` for what no node wrote.
        var record: LogRecord?

        var writer: LogAppend.Writer? { record.map { LogAppend.Writer(id: $0.id, epoch: $0.epoch) } }
    }

    var random: SeededGenerator
    var writers: [Writer]
    var log: [Stored] = []
    var ids: [RecordID: UInt64] = [:]
    var queue: [(time: Int, event: Event)] = []
    /// In milliseconds.
    var now = 0
    var epochs: UInt64 = 0
    var acknowledged: [RecordID: UInt64] = [:]
    var findings: [String] = []
    var failures = 0
    /// How often a fault happens, of 1,000.
    var faults = 120

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        writers = (0..<3).map { Writer(run: UInt64($0 + 1)) }
    }

    private mutating func isFaulty() -> Bool { Int.random(in: 0..<1000, using: &random) < faults }

    private mutating func schedule(_ event: Event, after delay: Int) { queue.append((now + delay, event)) }

    /// Runs until a time, then for 40 s with one writer and no faults, in which it must append.
    mutating func run(milliseconds: Int) {
        for writer in writers.indices { schedule(.begin(writer), after: Int.random(in: 0..<2000, using: &random)) }
        run(until: milliseconds)
        faults = 0
        let before = acknowledged.count
        // Appends that are repeated end within 15 s and a wait.
        run(until: milliseconds + 20_000, only: 0)
        schedule(.begin(0), after: 0)
        run(until: milliseconds + 40_000, only: 0)
        if acknowledged.count < before + 2 { findings.append("nothing is appended after the faults") }
        check()
    }

    private mutating func run(until end: Int, only active: Int? = nil) {
        while let index = queue.indices.min(by: { queue[$0].time < queue[$1].time }), queue[index].time < end {
            let (time, event) = queue.remove(at: index)
            now = time
            switch event {
            case .begin(let writer):
                if active == nil || writer == active { begin(writer) }
            case .arrive(let writer, let attempt, let record, let last):
                arrive(writer, attempt, record, last)
            case .input(let writer, let attempt, let input):
                guard writers[writer].attempt == attempt, var append = writers[writer].append else { continue }
                let step = append.step(after: input, elapsed: .milliseconds(now - writers[writer].start))
                writers[writer].append = append
                perform(step, writer)
            }
        }
        now = end
    }

    private mutating func begin(_ index: Int) {
        guard writers[index].append == nil else { return }
        if !writers[index].isLeading {
            epochs += 1
            writers[index].epoch = epochs
            catchUp(index)
        }
        let writer = writers[index]
        writers[index].records += 1
        let record = LogRecord(
            epoch: writer.epoch ?? 0, position: UInt64(log.count + 1),
            id: RecordID(run: writer.run, number: writers[index].records), time: Timestamp(milliseconds: Int64(now)),
            content: writer.isLeading ? .commit([]) : .lead(.init(node: "n\(index)", version: "1")))
        writers[index].record = record
        writers[index].append = LogAppend(record, behind: writer.applied)
        writers[index].start = now
        perform(.publish, index)
    }

    /// Applies what the log holds, at times an older end of it.
    private mutating func catchUp(_ index: Int) {
        let end = isFaulty() ? log.dropLast(Int.random(in: 0...3, using: &random)).last : log.last
        writers[index].applied = max(writers[index].applied, end?.sequence ?? 0)
    }

    private mutating func perform(_ step: LogAppend.Step, _ index: Int) {
        writers[index].attempt += 1
        let attempt = writers[index].attempt
        switch step {
        case .publish:
            guard let record = writers[index].record else { return }
            let last = writers[index].append?.last ?? writers[index].applied
            let arrival = Event.arrive(index, attempt: attempt, record, behind: last)
            let delay = Int.random(in: 1...20, using: &random)
            if !isFaulty() { schedule(arrival, after: delay) }
            // A client that reconnects sends what it kept, at times when the sender has given up.
            if isFaulty() { schedule(arrival, after: Int.random(in: 1...30_000, using: &random)) }
            schedule(.input(index, attempt: attempt, .answer(.unanswered)), after: 2000)
        case .readEnd:
            let stored = isFaulty() ? log.dropLast(Int.random(in: 0...4, using: &random)).last : log.last
            let last = writers[index].append?.last ?? 0
            let end = stored.map { newest(upTo: $0.sequence, behind: last) }
            let input = isFaulty() ? LogAppend.Input.endUnanswered : .end(end)
            let delay = input == .endUnanswered ? 2000 : Int.random(in: 1...20, using: &random)
            schedule(.input(index, attempt: attempt, input), after: delay)
        case .wait(let delay):
            let milliseconds = Int(delay / .milliseconds(1))
            schedule(.input(index, attempt: attempt, .waited), after: milliseconds)
        case .finished(let result):
            finish(index, result)
        }
    }

    /// The newest record behind a sequence, as `ReplicatedLog` finds it.
    private func newest(upTo sequence: UInt64, behind last: UInt64) -> LogAppend.End {
        guard sequence > last else { return LogAppend.End(sequence: sequence, writer: nil) }
        let newest = log.last { $0.sequence <= sequence && $0.sequence > last && $0.record != nil }
        return LogAppend.End(sequence: newest?.sequence ?? sequence, writer: newest?.writer)
    }

    private mutating func arrive(_ index: Int, _ attempt: Int, _ record: LogRecord, _ last: UInt64) {
        let answer: PublishAnswer
        if isFaulty() {
            let end = log.last?.sequence ?? 0
            log.append(Stored(sequence: end + 1, predecessor: .max, record: nil))
        }
        let end = log.last?.sequence ?? 0
        if isFaulty() {
            answer = .refused
        } else if let sequence = ids[record.id], !isFaulty() {
            answer = .stored(sequence: sequence)
        } else if end != last {
            answer = .refused
        } else {
            let sequence = end + UInt64.random(in: 1...3, using: &random)
            log.append(Stored(sequence: sequence, predecessor: end, record: record))
            ids[record.id] = sequence
            answer = .stored(sequence: sequence)
        }
        guard !isFaulty() else { return }
        schedule(.input(index, attempt: attempt, .answer(answer)), after: Int.random(in: 1...2500, using: &random))
    }

    private mutating func finish(_ index: Int, _ result: Result<UInt64, LogFailure>) {
        writers[index].append = nil
        switch result {
        case .success(let sequence):
            guard let record = writers[index].record else { return }
            let between = log.contains {
                $0.sequence > writers[index].applied && $0.sequence < sequence && $0.record != nil
            }
            if between { findings.append("\(record.id) is behind another record") }
            acknowledged[record.id] = sequence
            writers[index].applied = sequence
            writers[index].isLeading = Int.random(in: 0..<20, using: &random) > 0
            schedule(.begin(index), after: Int.random(in: 0...300, using: &random))
        case .failure:
            failures += 1
            catchUp(index)
            let lead = log.last { if case .lead = $0.record?.content { true } else { false } }
            let isOwn = lead?.record?.epoch == writers[index].epoch && writers[index].isLeading
            writers[index].isLeading = isOwn && Bool.random(using: &random)
            schedule(.begin(index), after: Int.random(in: 0...3000, using: &random))
        }
    }

    private mutating func check() {
        var seen: Set<RecordID> = []
        var epoch: UInt64 = 0
        for record in log.compactMap(\.record) {
            if !seen.insert(record.id).inserted { findings.append("\(record.id) is stored twice") }
            if record.epoch < epoch { findings.append("epoch \(record.epoch) appended after \(epoch)") }
            epoch = max(epoch, record.epoch)
        }
        for (id, sequence) in acknowledged {
            let isStored = log.contains { $0.sequence == sequence && $0.record?.id == id }
            if !isStored { findings.append("\(id) was acknowledged and is not stored at \(sequence)") }
        }
    }
}
