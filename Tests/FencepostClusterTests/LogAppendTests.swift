import FencepostCluster
import FencepostModel
import FencepostTesting
import Testing

struct LogAppendTests {
    private let record = LogRecord(
        epoch: 5, position: 1, id: RecordID(run: 1, number: 1), time: Timestamp(milliseconds: 0), content: .note)

    /// Of each seed: what was acknowledged is stored once, and no leader appends after its successor.
    @Test func nothingIsLostOrDoubledUnderFaults() {
        var acknowledged = 0
        var failures = 0
        let seeds = SeedShare.of(1...UInt64(10_000))
        for seed in seeds {
            var simulation = LogSimulation(seed: seed)
            simulation.run(milliseconds: 30_000)
            acknowledged += simulation.acknowledged.count
            failures += simulation.failures
            #expect(simulation.findings.isEmpty, "seed \(seed)")
            if !simulation.findings.isEmpty { return }
        }
        // The seeds must come to both outcomes often.
        #expect(acknowledged > 10 * seeds.count)
        #expect(failures > seeds.count)
        print("\(acknowledged) acknowledged, \(failures) failures")
    }

    private func steps(_ inputs: [LogAppend.Input], behind last: UInt64 = 7) -> [LogAppend.Step] {
        var append = LogAppend(record, behind: last)
        return inputs.map { append.step(after: $0, elapsed: .zero) }
    }

    private func end(_ sequence: UInt64, epoch: UInt64, run: UInt64 = 2) -> LogAppend.Input {
        .end(
            LogAppend.End(
                sequence: sequence, writer: LogAppend.Writer(id: RecordID(run: run, number: 1), epoch: epoch)))
    }

    @Test func aWrongRefusalIsRepeatedAtOnceAndThenAfterWaits() {
        let refusal = [LogAppend.Input.answer(.refused), end(7, epoch: 5)]
        #expect(
            steps(refusal + refusal + [.waited] + refusal) == [
                .readEnd, .publish, .readEnd, .wait(.milliseconds(50)), .publish, .readEnd, .wait(.milliseconds(100)),
            ])
    }

    @Test func aLostAnswerIsFoundInTheLog() {
        #expect(
            steps([.answer(.unanswered), .waited, end(9, epoch: 5, run: 1)]) == [
                .wait(.milliseconds(50)), .readEnd, .finished(.success(9)),
            ])
    }

    @Test func anotherRecordAtTheEndFailsByItsEpoch() {
        #expect(steps([end(9, epoch: 6)]) == [.finished(.failure(.deposed(epoch: 6)))])
        #expect(steps([end(9, epoch: 5)]) == [.finished(.failure(.diverged))])
        #expect(steps([end(9, epoch: 4)]) == [.finished(.failure(.behind))])
    }

    @Test func theAppendGoesOnBehindWhatNoNodeWrote() {
        var append = LogAppend(record, behind: 7)
        let foreign = LogAppend.Input.end(LogAppend.End(sequence: 9, writer: nil))
        #expect(append.step(after: .answer(.refused), elapsed: .zero) == .readEnd)
        #expect(append.step(after: foreign, elapsed: .zero) == .publish)
        #expect(append.last == 9)
        #expect(append.step(after: .answer(.stored(sequence: 10)), elapsed: .zero) == .finished(.success(10)))
        // Not for ever, if it becomes more and more.
        append = LogAppend(record, behind: 7)
        #expect(append.step(after: foreign, elapsed: .seconds(15)) == .finished(.failure(.unavailable)))
    }

    @Test func anEndBeforeWhatWasAppliedFailsOnlyWhenNoAnswerShowsAnother() {
        var append = LogAppend(record, behind: 7)
        #expect(append.step(after: end(3, epoch: 5), elapsed: .zero) == .wait(.milliseconds(50)))
        #expect(append.step(after: end(3, epoch: 5), elapsed: .seconds(15)) == .finished(.failure(.forgotten(end: 3))))
        append = LogAppend(record, behind: 7)
        _ = append.step(after: end(7, epoch: 5), elapsed: .zero)
        #expect(append.step(after: end(3, epoch: 5), elapsed: .seconds(15)) == .finished(.failure(.unavailable)))
    }
}
