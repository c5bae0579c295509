import Foundation
import Testing

@testable import FencepostService

@Suite("A journal of work") struct WorkJournalTests {
    /// The memory of a file, which outlives the processes of a test.
    private final class Memory: @unchecked Sendable {  // because a test has one thread
        let start = UnsafeMutableRawPointer.allocate(byteCount: WorkJournal.byteCount, alignment: 4096)

        init() { start.initializeMemory(as: UInt8.self, repeating: 0, count: WorkJournal.byteCount) }

        deinit { start.deallocate() }

        /// The next process.
        func open(version: String = "1") -> WorkJournal { WorkJournal(start, version: version) { _ in } }
    }

    @Test("names what was under way when the process ended, and nothing that had ended well")
    func names() {
        let memory = Memory()
        var journal = memory.open()
        journal.begin(.arrival, "bus-1", in: .worker)
        journal.begin(.arrival, "bus-2", in: .worker)
        journal.end(.worker)
        journal.begin(.history, "bus-3", in: .history)
        journal.begin(.importing, "imp_1", in: .importing)
        journal = memory.open()
        let found = journal.takeFound()
        #expect(found.map(\.id) == ["bus-3", "imp_1"])
        #expect(found.map(\.work) == [.history, .importing] && found.map(\.kind) == [.device, .import])
        #expect(found.allSatisfy { $0.faults == 0 && $0.kills == 1 })
        #expect(journal.excessive.isEmpty && journal.takeFound().isEmpty)
        #expect(memory.open().takeFound().isEmpty)
    }

    @Test("has enough of the second fault, whatever succeeds in between, until it is settled")
    func faults() {
        let memory = Memory()
        var journal = memory.open()
        journal.begin(.arrival, "bus-1", in: .worker)
        journal.begin(.history, "bus-2", in: .history)
        journal.noteFault()
        journal = memory.open()
        journal.begin(.start, "bus-1", in: .worker)
        journal.begin(.start, "bus-2", in: .worker)
        journal.end(.worker)
        #expect(journal.excessive.isEmpty)
        journal.begin(.start, "bus-1", in: .worker)
        journal.noteFault()
        journal = memory.open()
        #expect(journal.excessive == [.init(work: .start, id: "bus-1", faults: 2, kills: 0)])
        journal = memory.open()
        #expect(journal.excessive.map(\.id) == ["bus-1"])
        journal.settle(.device, "bus-1")
        #expect(journal.excessive.isEmpty && memory.open().excessive.isEmpty)
    }

    @Test("lets a message be read until its second fault, whatever other messages do")
    func messages() {
        let memory = Memory()
        struct Invalid: Error {}
        for _ in 0..<2 {
            let journal = memory.open()
            #expect(journal.withMessage("msg_2") { 7 } == 7)
            #expect(throws: Invalid.self) { try journal.withMessage("msg_3") { throw Invalid() } }
            _ = journal.withMessage("msg_1") { journal.noteFault() }
        }
        let journal = memory.open()
        #expect(journal.excessive == [.init(work: .message, id: "msg_1", faults: 2, kills: 0)])
        #expect(journal.withMessage("msg_1") { 7 } == nil)
        #expect(journal.withMessage("msg_2") { 7 } == 7)
        #expect(memory.open(version: "2").withMessage("msg_1") { 7 } == 7)
    }

    @Test("forgets kills with the first success, so that the innocent are not set aside")
    func kills() {
        let memory = Memory()
        for _ in 0..<20 {
            var journal = memory.open()
            journal.begin(.arrival, "bus-1", in: .worker)
            journal = memory.open()
            #expect(journal.excessive.isEmpty)
            journal.begin(.start, "bus-1", in: .worker)
            journal.begin(.start, "bus-2", in: .worker)
            journal.end(.worker)
        }
        for _ in 0..<WorkJournal.killLimit {
            #expect(memory.open().excessive.isEmpty)
            memory.open().begin(.start, "bus-1", in: .reader(3))
        }
        #expect(memory.open().excessive.map(\.id) == ["bus-1"])
    }

    @Test("does not take a fault of one thread for that of another's work")
    func threads() async {
        let memory = Memory()
        let journal = memory.open()
        journal.begin(.history, "bus-1", in: .history)
        await withCheckedContinuation { continuation in
            let thread = Thread {
                journal.begin(.arrival, "bus-2", in: .worker)
                journal.noteFault()
                continuation.resume()
            }
            thread.start()
        }
        let found = memory.open().takeFound()
        #expect(found.first { $0.id == "bus-1" }?.faults == 0)
        #expect(found.first { $0.id == "bus-2" }?.faults == 1)
    }

    @Test("begins again with another version, and in a file that it does not know")
    func versions() {
        let memory = Memory()
        memory.open().begin(.start, "bus-1", in: .worker)
        #expect(memory.open(version: "2").takeFound().isEmpty)
        for index in 0..<WorkJournal.byteCount {
            memory.start.storeBytes(of: UInt8(truncatingIfNeeded: index &* 31), toByteOffset: index, as: UInt8.self)
        }
        let journal = memory.open()
        #expect(journal.takeFound().isEmpty && journal.excessive.isEmpty)
    }

    @Test("counts a bounded number of devices, and ids of any length")
    func bounds() {
        let memory = Memory()
        for number in 0..<100 {
            let journal = memory.open()
            journal.begin(.arrival, "bus-\(number)" + String(repeating: "é", count: number * 20), in: .worker)
        }
        #expect(memory.open().takeFound().count == 1)
    }
}
