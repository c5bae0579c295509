internal import CNATS
public import FencepostCluster
internal import FencepostJSON
internal import Synchronization

/// A commit log in a JetStream stream: one subject of it.
public final class NATSLog: LogTransport {
    private static let expectedSequence = "Nats-Expected-Last-Subject-Sequence"

    /// An ordered consumer, and the sequence of the last record that it delivered.
    private struct Reader: ~Copyable {
        let handle: OpaquePointer
        var last: UInt64

        deinit { natsSubscription_Destroy(handle) }
    }

    private let connection: NATSConnection
    private let stream: String
    private let subject: String
    private let reader = Mutex<Reader?>(nil)

    /// Creates a log; the stream must exist.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - stream: the stream's name.
    ///   - subject: the log's subject, one that the stream holds.
    public init(_ connection: NATSConnection, stream: String, subject: String) {
        self.connection = connection
        self.stream = stream
        self.subject = subject
    }

    public func publish(_ bytes: [UInt8], id: RecordID, behind last: UInt64) async -> PublishAnswer {
        let headers = [(name: Self.expectedSequence, value: "\(last)"), (name: "Nats-Msg-Id", value: "\(id)")]
        let subject = subject
        let answer = try? await connection.run { connection throws(NATSError) in
            let answer = Self.answer(connection.requestStatus(subject, bytes, headers))
            switch answer {
            case .stored: connection.noteWrite(true)
            case .unanswered: connection.noteWrite(false)
            case .refused, .full, .tooLarge: break
            }
            return answer
        }
        return answer ?? .unanswered
    }

    private static func answer(_ answer: (status: natsStatus, bytes: [UInt8])) -> PublishAnswer {
        if answer.status == NATS_MAX_PAYLOAD { return .tooLarge }
        guard answer.status == NATS_OK, let root = (try? JSONDocument(parsing: answer.bytes))?.root else {
            return .unanswered
        }
        if let error = root["error"] {
            switch error["err_code"]?.int ?? 0 {
            case JetStreamCode.wrongLastSequence, JetStreamCode.wrongLastSequenceConstant,
                JetStreamCode.duplicateInProcess:
                return .refused
            case JetStreamCode.messageTooLarge:
                return .tooLarge
            case let code:
                return JetStreamCode.full.contains(code) ? .full : .unanswered
            }
        }
        guard let sequence = root["seq"]?.int, sequence > 0 else { return .unanswered }
        return .stored(sequence: UInt64(sequence))
    }

    public func newest() async throws(LogUnanswered) -> StoredBytes? {
        let (stream, subject) = (stream, subject)
        do throws(NATSError) {
            return try await connection.run { connection throws(NATSError) in
                var options = connection.options
                var code = jsErrCode(rawValue: 0)
                var message: OpaquePointer?
                // The stream's leader answers this; a direct get may be answered by a replica that is behind.
                let status = js_GetLastMsg(&message, connection.jetStream, stream, subject, &options, &code)
                defer { natsMsg_Destroy(message) }
                guard status == NATS_OK else { throw NATSError(status, code: code) }
                return Self.stored(message, sequence: natsMsg_GetSequence(message))
            }
        } catch .notFound {
            return nil
        } catch {
            throw LogUnanswered()
        }
    }

    public func read(behind last: UInt64, limit: Int) async throws(LogUnanswered) -> [StoredBytes] {
        // The end is asked for, since a consumer that delivers nothing may only be slow.
        guard let end = try await newest(), end.sequence > last else { return [] }
        do throws(NATSError) {
            return try await connection.run { connection throws(NATSError) in
                try self.reader.withLock { reader throws(NATSError) in
                    do throws(NATSError) {
                        return try self.read(connection, &reader, behind: last, through: end.sequence, limit)
                    } catch {
                        reader = nil
                        throw error
                    }
                }
            }
        } catch {
            throw LogUnanswered()
        }
    }

    private func read(
        _ connection: NATSConnection, _ reader: inout Reader?, behind last: UInt64, through end: UInt64, _ limit: Int
    ) throws(NATSError) -> [StoredBytes] {
        if reader?.last != last { reader = try subscribe(connection, behind: last) }
        guard let handle = reader?.handle else { return [] }
        var records: [StoredBytes] = []
        var previous = last
        while records.count < limit, previous < end {
            var message: OpaquePointer?
            let status = natsSubscription_NextMsg(&message, handle, connection.settings.milliseconds)
            defer { natsMsg_Destroy(message) }
            guard status == NATS_OK else { throw NATSError(status) }
            var metadata: UnsafeMutablePointer<jsMsgMetaData>?
            let described = natsMsg_GetMetaData(&metadata, message)
            guard described == NATS_OK, let metadata else { throw NATSError(described) }
            defer { jsMsgMetaData_Destroy(metadata) }
            previous = metadata.pointee.Sequence.Stream
            records.append(Self.stored(message, sequence: previous))
            reader?.last = previous
        }
        return records
    }

    private func subscribe(_ connection: NATSConnection, behind last: UInt64) throws(NATSError) -> Reader {
        var subscription: OpaquePointer?
        var code = jsErrCode(rawValue: 0)
        var options = connection.options
        let status = stream.withCString { stream in
            var subscribing = jsSubOptions()
            jsSubOptions_Init(&subscribing)
            subscribing.Ordered = true
            subscribing.Stream = stream
            subscribing.Config.DeliverPolicy = js_DeliverByStartSequence
            subscribing.Config.OptStartSeq = last + 1
            return js_SubscribeSync(&subscription, connection.jetStream, subject, &options, &subscribing, &code)
        }
        guard status == NATS_OK, let subscription else { throw NATSError(status, code: code) }
        return Reader(handle: subscription, last: last)
    }

    private static func stored(_ message: OpaquePointer?, sequence: UInt64) -> StoredBytes {
        var value: UnsafePointer<CChar>?
        let status = natsMsgHeader_Get(message, expectedSequence, &value)
        // A message without the header was not written by a node: it is no successor of any record.
        let predecessor = status == NATS_OK ? value.flatMap { UInt64(String(cString: $0)) } : nil
        return StoredBytes(
            sequence: sequence, predecessor: predecessor ?? .max, bytes: NATSConnection.bytes(of: message))
    }
}
