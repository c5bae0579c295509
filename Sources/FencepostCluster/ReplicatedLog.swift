internal import Synchronization

/// A commit log over a server: repeats, decides by the newest record, checks that no record is missing, and skips what no node of
/// the cluster wrote.
public final class ReplicatedLog<Transport: LogTransport>: CommitLog {
    private let transport: Transport
    private let seal: RecordSeal
    private let clock: any Clock<Duration>
    /// Whether the log has sealed records, behind which none without a seal is one of the cluster's.
    private let isSealed = Mutex(false)
    private let skipped = Mutex(Foreign())

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - transport: the server.
    ///   - seal: by which the nodes know their records.
    ///   - clock: measures and waits between attempts.
    public init(_ transport: Transport, seal: RecordSeal, clock: any Clock<Duration> = ContinuousClock()) {
        self.transport = transport
        self.seal = seal
        self.clock = clock
    }

    /// What it has met in the log that no node of the cluster wrote.
    public struct Foreign: Hashable, Sendable {
        /// How many times.
        public var count = 0
        /// The last of them; 0 for none.
        public var sequence: UInt64 = 0
        /// Why it is not a record.
        public var reason = ""
    }

    /// What it has met in the log that no node of the cluster wrote.
    public var foreign: Foreign { skipped.withLock(\.self) }

    /// Accepts no records without a seal any more: to be called when a copy has applied a sealed one.
    public func requireSeals() { isSealed.withLock { $0 = true } }

    public func append(_ record: LogRecord, behind last: UInt64) async throws(LogFailure) -> UInt64 {
        try await append(record, behind: last, clock: clock)
    }

    private func append<Time: Clock>(
        _ record: LogRecord, behind last: UInt64, clock: Time
    ) async throws(LogFailure) -> UInt64 where Time.Duration == Duration {
        let start = clock.now
        var append = LogAppend(record, behind: last)
        var step = LogAppend.Step.publish
        while true {
            let input: LogAppend.Input
            switch step {
            case .publish:
                let bytes = record.encoded(by: seal, behind: append.last)
                input = .answer(await transport.publish(bytes, id: record.id, behind: append.last))
            case .readEnd:
                input = try await newest(behind: append.last)
            case .wait(let delay):
                // Cancelled: whether the record is stored is not known.
                guard (try? await clock.sleep(for: delay)) != nil else { throw .unavailable }
                input = .waited
            case .finished(let result):
                let sequence = try result.get()
                requireSeals()
                return sequence
            }
            step = append.step(after: input, elapsed: start.duration(to: clock.now))
        }
    }

    /// What the newest record behind a sequence means for an append.
    private func newest(behind last: UInt64) async throws(LogFailure) -> LogAppend.Input {
        guard let newest = try? await transport.newest() as StoredBytes?? else { return .endUnanswered }
        guard let newest else { return .end(nil) }
        // A record that the caller has applied is not looked into: it may be older than the seal, or no node's.
        guard newest.sequence > last else { return .end(LogAppend.End(sequence: newest.sequence, writer: nil)) }
        var end = LogAppend.End(sequence: newest.sequence, writer: Self.writer(of: try open(newest)))
        // Behind what no node wrote, the newest record is further up.
        var previous = last
        while end.writer == nil, previous < newest.sequence {
            guard let more = try? await transport.read(behind: previous, limit: 200) else { return .endUnanswered }
            guard let read = more.last?.sequence else { break }
            previous = read
            for next in more {
                guard let writer = Self.writer(of: try open(next)) else { continue }
                end = LogAppend.End(sequence: next.sequence, writer: writer)
            }
        }
        return .end(end)
    }

    private static func writer(of content: LoggedRecord.Content) -> LogAppend.Writer? {
        switch content {
        case .record(let record): LogAppend.Writer(id: record.id, epoch: record.epoch)
        case .foreign: nil
        }
    }

    public func end() async throws(LogFailure) -> UInt64? {
        do throws(LogUnanswered) { return try await transport.newest()?.sequence } catch { throw .unavailable }
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
            let content = try open(next)
            guard next.sequence > previous else { throw .hole(after: previous) }
            // What no node wrote says nothing true about its predecessor.
            if case .record = content, next.predecessor != previous { throw .hole(after: previous) }
            records.append(LoggedRecord(sequence: next.sequence, predecessor: previous, content: content))
            previous = next.sequence
        }
        return records
    }

    private func open(_ stored: StoredBytes) throws(LogFailure) -> LoggedRecord.Content {
        let content = try content(of: stored)
        if case .foreign(let reason) = content {
            skipped.withLock { skipped in
                // It is read more than once.
                guard stored.sequence > skipped.sequence else { return }
                skipped = Foreign(count: skipped.count + 1, sequence: stored.sequence, reason: reason)
            }
        }
        return content
    }

    private func content(of stored: StoredBytes) throws(LogFailure) -> LoggedRecord.Content {
        do throws(LogRecordError) {
            if LogRecord.mayBeSealed(stored.bytes) {
                let record = try LogRecord(decoding: stored.bytes, sealedBy: seal, behind: stored.predecessor)
                requireSeals()
                return .record(record)
            }
            guard !isSealed.withLock(\.self) else { return .foreign("it has no seal") }
            return .record(try LogRecord(decodingUnsealed: stored.bytes))
        } catch {
            switch error {
            case .damaged(let reason): return .foreign(reason)
            case .newerFormat: throw .newerFormat(sequence: stored.sequence)
            }
        }
    }
}
