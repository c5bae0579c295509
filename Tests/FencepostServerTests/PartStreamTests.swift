import FencepostModel
import FencepostTesting
import Synchronization
import Testing

@testable import FencepostServer

/// The parts of the merged event stream.
@Suite("Merged streams") struct PartStreamTests {
    @Test("have ids with a number for each partition") func ids() {
        let id = StreamID([0, 35, 36, Int64.max])
        #expect("\(id)" == "0.z.10.1y2p0ij32e8e7")
        #expect(StreamID("0.z.10.1y2p0ij32e8e7", partitions: 4) == id)
        #expect(StreamID("0", partitions: 3) == StreamID([0, 0, 0]))
        for text in ["", "1", "1.2", "1.2.3.4", "1..3", "+1.2.3", "A.2.3", "01.2.3", "-1.2.3", "1.2.3.", " 1.2.3"] {
            #expect(StreamID(text, partitions: 3) == nil, "\(text)")
        }
    }

    @Test("are taken apart wherever their bytes are cut", arguments: 0..<40) func reader(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let text =
            "retry: 3000\n\nevent: gap\ndata: {\"oldest\":3}\n\n: at 7\n\n: hb\n\nid: 8\nevent: a\ndata: {\"é\":1}\n\n"
            + "id: 12\nevent: b\ndata: {}\n\nid: 13\nevent: c"
        var (reader, rest, blocks) = (StreamReader(), Array(text.utf8)[...], [StreamReader.Block]())
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(20, rest.count), using: &random)
            let found = reader.blocks(in: rest.prefix(count))
            blocks += try #require(found)
            rest = rest.dropFirst(count)
        }
        #expect(
            blocks == [
                .gap(lines: "event: gap\ndata: {\"oldest\":3}\n\n"), .start(7),
                .event(number: 8, lines: "event: a\ndata: {\"é\":1}\n\n"),
                .event(number: 12, lines: "event: b\ndata: {}\n\n"),
            ])
    }

    @Test("send nothing before the beginning of each partition's stream is known") func merge() {
        var merge = StreamMerge(partitions: 2, after: nil)
        #expect(merge.text(of: [.start(5), .event(number: 6, lines: "a\n\n")], from: 1) == "")
        #expect(merge.text(of: [.event(number: 9, lines: "b\n\n")], from: 1) == "")
        #expect(merge.text(of: [.start(40)], from: 0) == "id: 14.6\na\n\nid: 14.9\nb\n\n")
        #expect(merge.text(of: [.event(number: 41, lines: "c\n\n")], from: 0) == "id: 15.9\nc\n\n")
        // After a gap the stream goes on where the partition says.
        #expect(merge.text(of: [.gap(lines: "g\n\n"), .start(2)], from: 0) == "g\n\n")
        #expect(merge.text(of: [.event(number: 10, lines: "d\n\n")], from: 1) == "id: 2.a\nd\n\n")
        var resumed = StreamMerge(partitions: 2, after: StreamID([3, 4]))
        #expect(resumed.text(of: [.start(3), .event(number: 7, lines: "e\n\n")], from: 0) == "id: 7.4\ne\n\n")
        var stuck = StreamMerge(partitions: 2, after: nil)
        var texts: [String?] = []
        for number in 0..<1000 { texts.append(stuck.text(of: [.event(number: Int64(number), lines: "")], from: 0)) }
        #expect(texts.contains(nil))
    }

    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test("hold back who gives more than is taken", .timeLimit(.minutes(1))) func handOff() async throws {
        let exchange = HandOff<Int>()
        let given = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for number in 0..<100 {
                        try await exchange.give(number)
                        given.add()
                    }
                }
            }
            var sum = 0
            for taken in 1...150 {
                sum += try #require(await exchange.take())
                // Each of the three has given at most what was taken.
                #expect(given.value <= taken)
            }
            group.addTask { await #expect(throws: CancellationError.self) { try await exchange.give(1) } }
            exchange.close()
            #expect(await exchange.take() == nil)
            while true { do { if try await group.next() == nil { break } } catch is CancellationError {} }
        }
    }

    @Test("end a task that is cancelled while it gives or takes", .timeLimit(.minutes(1))) func cancelled() async {
        for _ in 0..<200 {
            let exchange = HandOff<Int>()
            let giver = Task { try await exchange.give(1) }
            giver.cancel()
            await #expect(throws: CancellationError.self) { try await giver.value }
            let taker = Task { await exchange.take() }
            taker.cancel()
            #expect(await taker.value == nil)
        }
    }
}
