import CWorkJournal
import Synchronization

/// Which work is under way, in memory that outlives the process, so that the next one knows what ended the former.
///
/// A trap cannot be caught. So before work that a later start would do again, a mark says for which device or import it is. Marks
/// are plain stores into a file that is mapped into memory; they survive the end of the process, not of the machine. A mark that
/// is still set at the next start names what ran when the process ended. What ended it `faultLimit` times is to be set aside.
///
/// Each slot of a journal is used by one thread at a time.
public final class WorkJournal: @unchecked Sendable {  // because slots have one user each, and counts have a lock
    /// Work that a start or a background task would do again.
    public enum Work: UInt32, Hashable, Sendable, CaseIterable {
        /// The evaluation of locations as they arrive, and of deadlines.
        case arrival = 1
        /// A start: reading states, and replaying the log behind them.
        case start
        /// The evaluation of stored locations again, after late ones or an import.
        case history
        /// Storing a part of an import.
        case importing
        /// The evaluation on a node of a cluster that follows.
        case standby
        /// Decoding a message of a broker, which sends it again until it is acknowledged, or keeps it.
        case message
        /// Applying a record of a cluster's log to a node's copy, which each start does again.
        case record

        /// What can be set aside in the store; `nil` for messages and records, which the journal alone remembers.
        public var kind: SetAside.Kind? {
            switch self {
            case .arrival, .start, .history, .standby: .device
            case .importing: .import
            case .message, .record: nil
            }
        }
    }

    /// A mark of its own for each part of the service that works at the same time.
    enum Slot {
        case worker, history, importing, standby, message, record
        /// One of the threads that read states, from 0 to 15.
        case reader(Int)

        fileprivate var index: Int {
            switch self {
            case .worker: 0
            case .history: 1
            case .importing: 2
            case .standby: 3
            case .message: 4
            case .record: 5
            case .reader(let number): 6 + number
            }
        }
    }

    /// What was under way when a process ended.
    public struct Ended: Hashable, Sendable {
        /// The kind of work.
        public var work: Work
        /// The device, or the import.
        public var id: String
        /// Ends by a fault in the thread that did the work.
        public var faults = 0
        /// Other ends without a success since then: the process was killed, or something else had the fault.
        public var kills = 0

        /// As that of the work.
        public var kind: SetAside.Kind? { work.kind }

        /// Whether it is to be set aside.
        public var isExcessive: Bool { isFaulty || kills >= WorkJournal.killLimit }

        /// Whether faults of its own are reason enough for that. What was only killed may have been innocent.
        public var isFaulty: Bool { faults >= WorkJournal.faultLimit }
    }

    /// Faults of a device or an import after which it is set aside. They need not follow one another.
    public static let faultLimit = 2
    /// Other ends after which it is set aside, one after the other. A `kill` from outside meets the innocent too.
    public static let killLimit = 3
    /// Devices and imports whose ends are counted at a time.
    static let countLimit = 63
    /// The size of the memory in bytes.
    public static let byteCount = (1 + slotCount + countLimit) * stride
    private static let (slotCount, stride) = (22, 1024)
    /// At the beginning of the memory, before the version of the program that wrote it.
    private static let signature = "fencepost-work-3 "

    private let memory: UnsafeMutableRawPointer
    private let marks: UnsafeMutablePointer<fencepost_mark>
    private let free: @Sendable (UnsafeMutableRawPointer) -> Void
    private let willBegin: (@Sendable (Work, String) -> Void)?
    private let hasCounts = Atomic(false)
    /// Whether the process counts as ended, in a simulation that goes on.
    private let isOver = Atomic(false)
    private let state = Mutex(State())

    private struct State {
        /// In the order in which they ended the process first.
        var counts: [Ended] = []
        /// What each slot has begun since its last end, while anything is counted.
        var begun: [Int: Set<String>] = [:]
        /// What was under way at the end of the former process.
        var found: [Ended] = []
    }

    /// A journal in memory that ends with the process, for commands without a database, and tests.
    public convenience init() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
        self.init(memory, version: "") { $0.deallocate() }
    }

    /// A journal in memory that a former process may have used.
    ///
    /// - Parameters:
    ///   - memory: `byteCount` bytes on a page boundary; zeros when it is new.
    ///   - version: that of the program. Counts of another version are forgotten, since its work may have been mended.
    ///   - willBegin: called when work begins, for tests.
    ///   - free: frees the memory.
    public init(
        _ memory: UnsafeMutableRawPointer, version: String, willBegin: (@Sendable (Work, String) -> Void)? = nil,
        free: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
    ) {
        (self.memory, self.free, self.willBegin) = (memory, free, willBegin)
        marks = (memory + Self.stride).bindMemory(to: fencepost_mark.self, capacity: Self.slotCount + Self.countLimit)
        let head = Array((Self.signature + version).utf8.prefix(Self.stride - 1)) + [0]
        let bytes = memory.assumingMemoryBound(to: UInt8.self)
        if !head.indices.allSatisfy({ bytes[$0] == head[$0] }) {
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
            for (index, byte) in head.enumerated() { bytes[index] = byte }
        }
        state.withLock { state in
            state.counts = (0..<Self.countLimit).compactMap { self.count(at: $0) }
            for index in 0..<Self.slotCount {
                guard var ended = mark(at: index) else { continue }
                if marks[index].faulted != 0 { ended.faults = 1 } else { ended.kills = 1 }
                marks[index].work = 0
                note(ended, &state)
            }
            write(state.counts)
        }
    }

    deinit { free(memory) }

    /// Notes faults of this process in the marks, so that they can be told from a kill. To be called once for a journal that is
    /// never freed.
    public func watchFaults() { fencepost_marks_watch(marks, Self.slotCount) }

    /// Notes what a fault of this thread would note, after which nothing changes. For tests and simulations.
    package func noteFault() {
        fencepost_marks_fault(marks, Self.slotCount)
        isOver.store(true, ordering: .relaxed)
    }

    // MARK: Work

    /// Marks that work begins for a device or an import. It replaces the former mark of the slot.
    func begin(_ work: Work, _ id: String, in slot: Slot) {
        let index = slot.index
        guard !isOver.load(ordering: .relaxed) else { return }
        if hasCounts.load(ordering: .relaxed) { state.withLock { _ = $0.begun[index, default: []].insert(id) } }
        var text = id
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                fencepost_mark_begin(marks + index, work.rawValue, bytes.baseAddress, bytes.count)
            }
        }
        willBegin?(work, id)
    }

    /// Marks that all work of a slot has ended well. Kills of what it has begun are forgotten.
    func end(_ slot: Slot) {
        guard !isOver.load(ordering: .relaxed) else { return }
        fencepost_mark_end(marks + slot.index)
        guard hasCounts.load(ordering: .relaxed) else { return }
        state.withLock { state in
            guard let begun = state.begun.removeValue(forKey: slot.index), !begun.isEmpty else { return }
            for index in state.counts.indices where begun.contains(state.counts[index].id) {
                if !state.counts[index].isExcessive { state.counts[index].kills = 0 }
            }
            state.counts.removeAll { $0.faults == 0 && $0.kills == 0 }
            write(state.counts)
        }
    }

    // MARK: Ends

    /// What was under way when the former process ended, with its counts, once.
    public func takeFound() -> [Ended] {
        state.withLock { state in
            defer { state.found = [] }
            return state.found
        }
    }

    /// What is to be set aside, until it is settled.
    public var excessive: [Ended] { state.withLock { $0.counts.filter(\.isExcessive) } }

    /// Does synchronous work on a message of a broker, with a mark.
    ///
    /// - Parameters:
    ///   - id: of the message; equal for the same message.
    ///   - work: what is done.
    /// - Returns: the result of the work; `nil` when it has ended the process too often, so that it is not done.
    /// - Throws: what the work throws.
    public func withMessage<Result, Failure: Error>(
        _ id: String, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard !hasCounts.load(ordering: .relaxed) || !excessive.contains(where: { $0.work == .message && $0.id == id })
        else { return nil }
        begin(.message, id, in: .message)
        // A failure that is thrown is an end as any other.
        defer { end(.message) }
        return try work()
    }

    /// Marks that a copy begins to apply a record of its cluster's log. It replaces the former mark of a record.
    public func beginRecord(_ id: String) { begin(.record, id, in: .record) }

    /// Marks that the records which were begun are applied, or were refused without an end of the process.
    public func endRecords() { end(.record) }

    /// What a record has ended, where it is not to be applied; `nil` where it is.
    public func excessiveRecord(_ id: String) -> Ended? {
        guard hasCounts.load(ordering: .relaxed) else { return nil }
        return excessive.first { $0.work == .record && $0.id == id }
    }

    /// Forgets the ends of records.
    ///
    /// - Parameter isOver: whether those of a record are to be forgotten, such as one that the copy has passed.
    public func forgetRecords(where isOver: (_ id: String) -> Bool) {
        guard hasCounts.load(ordering: .relaxed) else { return }
        state.withLock { state in
            state.counts.removeAll { $0.work == .record && isOver($0.id) }
            write(state.counts)
        }
    }

    /// Forgets the ends of what is set aside, or was released.
    public func settle(_ kind: SetAside.Kind, _ id: String) {
        state.withLock { state in
            guard state.counts.contains(where: { $0.kind == kind && $0.id == id }) else { return }
            state.counts.removeAll { $0.kind == kind && $0.id == id }
            write(state.counts)
        }
    }

    private func note(_ ended: Ended, _ state: inout State) {
        let known = state.counts.firstIndex {
            $0.kind == ended.kind && $0.id == ended.id && ($0.kind != nil || $0.work == ended.work)
        }
        if let index = known {
            state.counts[index].work = ended.work
            state.counts[index].faults += ended.faults
            state.counts[index].kills += ended.kills
            state.found.append(state.counts[index])
            return
        }
        if state.counts.count == Self.countLimit { state.counts.removeFirst() }
        state.counts.append(ended)
        state.found.append(ended)
    }

    // MARK: Memory

    private func mark(at index: Int) -> Ended? {
        let mark = marks + index
        guard let work = Work(rawValue: mark.pointee.work), let start = MemoryLayout<fencepost_mark>.offset(of: \.text)
        else { return nil }
        let length = min(Int(mark.pointee.length), Int(FENCEPOST_MARK_TEXT))
        let text = UnsafeRawBufferPointer(start: UnsafeRawPointer(mark) + start, count: length)
        return Ended(work: work, id: String(decoding: text, as: UTF8.self))
    }

    /// A count has the form of a mark, with the numbers in place of the thread.
    private func count(at index: Int) -> Ended? {
        guard var ended = mark(at: Self.slotCount + index) else { return nil }
        let numbers = marks[Self.slotCount + index].thread
        (ended.faults, ended.kills) = (Int(numbers >> 32), Int(numbers & 0xFFFF_FFFF))
        return ended
    }

    private func write(_ counts: [Ended]) {
        for index in 0..<Self.countLimit {
            let mark = marks + Self.slotCount + index
            guard index < counts.count else {
                fencepost_mark_end(mark)
                continue
            }
            var text = counts[index].id
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    fencepost_mark_begin(mark, counts[index].work.rawValue, bytes.baseAddress, bytes.count)
                }
            }
            mark.pointee.thread = UInt64(counts[index].faults) << 32 | UInt64(counts[index].kills)
        }
        hasCounts.store(!counts.isEmpty, ordering: .relaxed)
    }
}
