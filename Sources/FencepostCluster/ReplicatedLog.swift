/// A commit log over a server: repeats, decides by the newest record, and checks that no record is missing.
public struct ReplicatedLog<Transport: LogTransport>: CommitLog {
    private let transport: Transport
    private let clock: any Clock<Duration>

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - transport: the server.
    ///   - clock: measures and waits between attempts.
    public init(_ transport: Transport, clock: any Clock<Duration> = ContinuousClock()) {
        self.transport = transport
        self.clock = clock
    }

    public func append(_ record: LogRecord, behind last: UInt64) async throws(LogFailure) -> UInt64 {
        try await append(record, behind: last, clock: clock)
    }

    private func append<Time: Clock>(
        _ record: LogRecord, behind last: UInt64, clock: Time
    ) async throws(LogFailure) -> UInt64 where Time.Duration == Duration {
        let bytes = record.encoded
        let start = clock.now
        var append = LogAppend(record, behind: last)
        var step = LogAppend.Step.publish
        while true {
            let input: LogAppend.Input
            switch step {
            case .publish:
                input = .answer(await transport.publish(bytes, id: record.id, behind: last))
            case .readEnd:
                input = try await newest()
            case .wait(let delay):
                // Cancelled: whether the record is stored is not known.
                guard (try? await clock.sleep(for: delay)) != nil else { throw .unavailable }
                input = .waited
            case .finished(let result):
                return try result.get()
            }
            step = append.step(after: input, elapsed: start.duration(to: clock.now))
        }
    }

    private func newest() async throws(LogFailure) -> LogAppend.Input {
        let stored: StoredBytes?
        do throws(LogUnanswered) { stored = try await transport.newest() } catch { return .endUnanswered }
        guard let stored else { return .end(nil) }
        let record = try Self.decode(stored)
        return .end(LogAppend.End(sequence: stored.sequence, id: record.id, epoch: record.epoch))
    }

    public func end() async throws(LogFailure) -> (sequence: UInt64, record: LogRecord)? {
        let stored: StoredBytes?
        do throws(LogUnanswered) { stored = try await transport.newest() } catch { throw .unavailable }
        guard let stored else { return nil }
        return (stored.sequence, try Self.decode(stored))
    }

    public func records(behind last: UInt64, limit: Int) async throws(LogFailure) -> [LoggedRecord] {
        precondition(limit > 0, "at least one record is read")
        let stored: [StoredBytes]
        do throws(LogUnanswered) {
            stored = try await transport.read(behind: last, limit: limit)
        } catch {
            throw .unavailable
        }
        var previous = last
        var records: [LoggedRecord] = []
        for next in stored {
            guard next.predecessor == previous, next.sequence > previous else { throw .hole(after: previous) }
            records.append(
                LoggedRecord(sequence: next.sequence, predecessor: previous, record: try Self.decode(next)))
            previous = next.sequence
        }
        return records
    }

    private static func decode(_ stored: StoredBytes) throws(LogFailure) -> LogRecord {
        do throws(LogRecordError) {
            return try LogRecord(decoding: stored.bytes)
        } catch {
            throw .unreadable(sequence: stored.sequence, error)
        }
    }
}
