import FencepostModel
import FencepostService
import FencepostTesting
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import FencepostServer

/// The parts of the merged event stream.
@Suite("Merged streams") struct PartitionStreamTests {
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

    /// Opens a stream over partitions that lose their leaders, and reads it until it has as many events as given.
    private static func events(
        of fake: FakeStreams, _ partitions: Int, after id: StreamID?, count: Int,
        meanwhile body: () async -> Void = {}
    ) async throws -> [(id: StreamID, partition: Int, number: Int64)] {
        let fanOut = PartitionFanOut(
            partitions: Partitioning(count: partitions), caller: fake, key: "k",
            now: { Timestamp(milliseconds: 0) },
            sleep: { span in
                if span == EventStream.heartbeat { try await Task.sleep(for: .seconds(3600)) }
                try Task.checkCancellation()
                await Task.yield()
            })
        let query = id.map { "lastEventId=\($0)" } ?? ""
        let request = PartitionRequest(method: .get, target: "/v1/stream", headers: [:], client: "", isRepeatable: true)
        var response: Response?
        while response == nil {
            // A stream is not opened while a partition has no leader.
            let answer = try await fanOut.answer(request, path: "/v1/stream", query: query[...])
            if answer?.status == .ok { response = answer }
        }
        let stream = try #require(response)
        let reader = PartitionStreamRouteTests.Reader()
        let task = Task { try await stream.body.write(reader) }
        await reader.wait { !$0.all.isEmpty }
        await body()
        await reader.wait { $0.events.count >= count }
        task.cancel()
        _ = try? await task.value
        return try reader.events.map { event in
            let parts = event.data.split(separator: "/")
            let id = try #require(StreamID(event.id, partitions: partitions))
            return (id, try #require(Int(parts[0])), try #require(Int64(parts[1])))
        }
    }

    @Test(
        "have each event once and in the order of its partition, wherever leaders are lost", .timeLimit(.minutes(1)),
        arguments: 0..<40)
    func losses(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let partitions = Int.random(in: 2...5, using: &random)
        let fake = FakeStreams(partitions, losses: 60, seed: seed)
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            fake.add(to: Int.random(in: 0..<partitions, using: &random))
        }
        let start = StreamID(fake.logs.map { $0.randomElement(using: &random) ?? 0 })
        let receivers = (0..<80).map { _ in Int.random(in: 0..<partitions, using: &random) }
        let before = zip(fake.logs, start.numbers).map { log, last in log.count { $0 > last } }.reduce(0, +)
        let events = try await Self.events(of: fake, partitions, after: start, count: before + 80) {
            for receiver in receivers {
                fake.add(to: receiver)
                await Task.yield()
            }
        }
        func check(_ events: [(id: StreamID, partition: Int, number: Int64)], after start: StreamID) {
            var id = start
            for event in events {
                id.numbers[event.partition] = event.number
                #expect(event.id == id)
            }
            for partition in 0..<partitions {
                let received = events.filter { $0.partition == partition }.map(\.number)
                #expect(received == fake.logs[partition].filter { $0 > start.numbers[partition] })
            }
        }
        check(events, after: start)
        let index = Int.random(in: events.indices, using: &random)
        let rest = try await Self.events(
            of: fake, partitions, after: events[index].id, count: events.count - index - 1)
        check(rest, after: events[index].id)
    }

    @Test("keep little for a reader who takes nothing", .timeLimit(.minutes(1))) func slowReader() async throws {
        let fake = FakeStreams(2, losses: 0, seed: 1)
        for number in 0..<3000 { fake.add(to: number % 2) }
        let fanOut = PartitionFanOut(
            partitions: Partitioning(count: 2), caller: fake, key: "k", now: { Timestamp(milliseconds: 0) },
            sleep: { try await Task.sleep(for: $0) })
        let request = PartitionRequest(method: .get, target: "/v1/stream", headers: [:], client: "", isRepeatable: true)
        let answer = try await fanOut.answer(request, path: "/v1/stream", query: "lastEventId=0")
        let response = try #require(answer)
        let stuck = StuckWriter()
        let task = Task { try await response.body.write(stuck) }
        await stuck.wait()
        // Whatever can run has run when nothing more is written for a while.
        var before = -1
        while before != fake.written {
            before = fake.written
            for _ in 0..<1000 { await Task.yield() }
        }
        #expect(fake.written < 60)
        task.cancel()
        _ = try? await task.value
    }

    /// Takes one piece, and is stuck with the next until its task is cancelled.
    private final class StuckWriter: ResponseBodyWriter, Sendable {
        private let pieces = Mutex(0)
        private let (stuck, source) = AsyncStream.makeStream(of: Void.self)

        func write(_ buffer: ByteBuffer) async throws {
            let count = pieces.withLock { pieces in
                pieces += 1
                return pieces
            }
            guard count > 1 else { return }
            source.yield()
            try await Task.sleep(for: .seconds(3600))
        }

        func wait() async { for await _ in stuck { return } }
        func finish(_ trailers: HTTPFields?) async throws {}
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
