import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The event stream of all partitions.
extension PartitionFanOut {
    func stream(_ question: PartitionQuestion, for reader: StreamConnection?) async throws -> Response {
        let question = try await identified(question)
        let given = question.request.headers[.lastEventID] ?? question.query["lastEventId"]
        let start = given.flatMap { StreamID($0, partitions: partitions.count) }
        guard given == nil || start != nil else {
            var request = question.asked(without: ["lastEventId"], adding: [("lastEventId", "-")])
            request.headers[.lastEventID] = nil
            let problem = Problem.parameter("lastEventId", "it has to be the id of an event of the stream.")
            throw PartitionRefusal(answer: try await question.refusal(of: request, otherwise: problem))
        }
        let merged = MergedStream(question: question, start: start, sleep: sleep, reader: reader)
        return try await merged.response()
    }

    /// The request with the credentials to which its ticket was issued. Tickets are known to the leader of the configuration
    /// only, each is valid once, and the streams of the partitions have to be opened again when a leader changes.
    private func identified(_ question: PartitionQuestion) async throws -> PartitionQuestion {
        guard let ticket = question.query["ticket"] else { return question }
        var exchange = question.request
        (exchange.method, exchange.target, exchange.body) = (.post, TicketExchange.path, Array(ticket.utf8))
        exchange.headers = [.requestID: question.request.headers[.requestID] ?? ""]
        exchange.headers[question.mark.name] = question.mark.value
        exchange.headers[.contentLength] = String(exchange.body.count)
        exchange.isRepeatable = false
        let answer = try await question.answer(to: exchange, from: partitions.configuration)
        guard answer.isSuccess else { throw PartitionRefusal(answer: answer) }
        guard let field = TicketExchange.credentials(in: answer.bytes) else { throw Problem.internalError }
        var request = question.request
        (request.headers[.authorization], request.headers[.cookie]) = (nil, nil)
        request.headers[field.name] = field.value
        var query = question.query
        query.items.removeAll { $0.name == "ticket" }
        return PartitionQuestion(
            request: request, path: question.path, query: query, partitions: question.partitions,
            caller: question.caller, mark: question.mark)
    }
}

/// The connection of a stream's reader.
struct StreamConnection: Sendable {
    let channel: any Channel
    /// Its inbound side, of which nothing was read: it says when the reader leaves. `nil` when it was read, for then that shows
    /// only when a heartbeat cannot be written.
    let body: RequestBody?
    /// Raised when the node closes its ports.
    let closing: EventSignal
}

/// The streams of all partitions as one, as `EventStream` writes that of a single node.
private struct MergedStream: Sendable {
    let question: PartitionQuestion
    let start: StreamID?
    let sleep: @Sendable (Duration) async throws -> Void
    let reader: StreamConnection?

    /// Opens the streams of all partitions.
    ///
    /// - Throws: a `PartitionRefusal` with the first answer that is no stream, or the first error.
    func response() async throws -> Response {
        let opened = await withTaskGroup(of: (Int, Result<Response, any Error>).self) { group in
            for partition in 0..<question.partitions.count {
                group.addTask {
                    do {
                        let request = request(partition, after: start?.numbers[partition])
                        return (
                            partition,
                            .success(try await question.caller.answer(to: request, from: .partition(partition)))
                        )
                    } catch {
                        return (partition, .failure(error))
                    }
                }
            }
            var opened: [(Int, Result<Response, any Error>)] = []
            for await result in group { opened.append(result) }
            return opened.sorted { $0.0 < $1.0 }.map(\.1)
        }
        var streams: [Response] = []
        var failure: Result<Response, any Error>?
        for result in opened {
            if case .success(let response) = result, response.status == .ok {
                streams.append(response)
            } else {
                failure = failure ?? result
            }
        }
        if let failure {
            for stream in streams { await stream.discard() }
            throw PartitionRefusal(answer: try await PartitionAnswer(try failure.get()))
        }
        var headers = streams[0].headers
        headers[FanOutMark.device] = nil
        let all = streams
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                let exchange = HandOff<PartitionUpstream.Piece>()
                if let body = reader?.body {
                    try await body.consumeWithInboundCloseHandler { _ in
                        try await write(all, to: &writer, exchange)
                    } onInboundClosed: {
                        exchange.close()
                    }
                } else {
                    try await write(all, to: &writer, exchange)
                }
                try await writer.finish(nil)
            })
    }

    private func request(_ partition: Int, after number: Int64?) -> PartitionRequest {
        var request = question.asked(without: ["lastEventId"], isMarked: true)
        request.headers[.lastEventID] = number.map { String($0) }
        return request
    }

    /// Writes until the reader leaves or a partition refuses it.
    private func write(
        _ streams: [Response], to writer: inout any ResponseBodyWriter, _ exchange: HandOff<PartitionUpstream.Piece>
    ) async throws {
        let written = Written()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                exchange.close()
                group.cancelAll()
            }
            for (partition, stream) in streams.enumerated() {
                let upstream = PartitionUpstream(
                    partition: partition, request: { request(partition, after: $0) }, caller: question.caller,
                    exchange: exchange, sleep: sleep)
                group.addTask { await upstream.run(stream, after: start?.numbers[partition]) }
            }
            group.addTask {
                while true {
                    try await sleep(EventStream.heartbeat)
                    try await exchange.give(.heartbeat)
                }
            }
            if let reader {
                group.addTask { try await closeWhenStuck(reader.channel, written) }
                group.addTask {
                    await reader.closing.wait(since: 0)
                    try await exchange.give(.end)
                }
            }
            var merge = StreamMerge(partitions: streams.count, after: start)
            try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
            while let piece = await exchange.take() {
                let text: String
                switch piece {
                case .end: return
                case .heartbeat: text = ": hb\n\n"
                case .blocks(let blocks, let partition):
                    guard let merged = merge.text(of: blocks, from: partition) else { return }
                    text = merged
                }
                guard !text.isEmpty else { continue }
                written.begin()
                try await writer.write(ByteBuffer(string: text))
                written.end()
            }
        }
    }

    /// Closes the connection of a reader that takes too long for a piece.
    private func closeWhenStuck(_ channel: any Channel, _ written: Written) async throws {
        while true {
            let before = written.state
            try await sleep(EventStream.maximumWait)
            if before.isWriting, written.state == before {
                channel.close(promise: nil)
                return
            }
        }
    }
}

/// The piece that is being written.
private final class Written: Sendable {
    struct State: Hashable {
        var pieces = 0
        var isWriting = false
    }

    private let mutex = Mutex(State())

    var state: State { mutex.withLock { $0 } }
    func begin() { mutex.withLock { $0 = State(pieces: $0.pieces + 1, isWriting: true) } }
    func end() { mutex.withLock { $0.isWriting = false } }
}
