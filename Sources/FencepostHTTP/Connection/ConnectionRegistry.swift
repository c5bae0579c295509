import FencepostModel
import Foundation
import Logging
import Metrics
import NIOCore
import Synchronization

/// The connections of all listeners: counts them, and closes idle ones when there are too many (rule L9).
final class ConnectionRegistry: Sendable {
    private struct State {
        var table: ConnectionTable
        var channels: [ConnectionTable.ID: any Channel] = [:]
        /// When the last line about a reason was written.
        var logged: [ConnectionTable.Reason: Timestamp] = [:]
        /// Connections that were closed or refused since that line.
        var unlogged: [ConnectionTable.Reason: Int] = [:]
    }

    /// Connections that are closed at once when the process has no free descriptor.
    static let shedAtOnce = 16
    /// Time between two lines about the same reason.
    static let logInterval = Duration.seconds(60)

    private let state: Mutex<State>
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let gauge = Gauge(label: "fencepost_http_connections")
    private let counters: [ConnectionTable.Reason: Counter] = Dictionary(
        uniqueKeysWithValues: ConnectionTable.Reason.allCases.map {
            ($0, Counter(label: "fencepost_http_connections_shed_total", dimensions: [("reason", $0.rawValue)]))
        })

    init(_ limits: ConnectionLimits, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
        state = Mutex(
            State(
                table: ConnectionTable(
                    limit: limits.connections, addressLimit: limits.connectionsPerAddress, reserve: limits.reserve)))
        self.logger = logger
        self.now = now
    }

    /// Registers a connection that was accepted.
    ///
    /// - Returns: its number, and what it may do. A refused connection is to be closed.
    func open(_ channel: any Channel) -> (id: ConnectionTable.ID, admission: ConnectionTable.Admission) {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let (id, decision, shed, count) = state.withLock { state in
            let (id, decision) = state.table.open(from: address)
            let shed = decision.shed.flatMap { state.channels.removeValue(forKey: $0) }
            if decision.admission != .refused { state.channels[id] = channel }
            return (id, decision, shed, state.table.count)
        }
        shed?.close(promise: nil)
        gauge.record(count)
        if let reason = decision.reason { report(reason, 1) }
        return (id, decision.admission)
    }

    func close(_ id: ConnectionTable.ID) {
        let count = state.withLock { state in
            state.table.close(id)
            state.channels[id] = nil
            return state.table.count
        }
        gauge.record(count)
    }

    /// The header of a request is complete: the connection is not closed for others.
    func setBusy(_ id: ConnectionTable.ID) { state.withLock { $0.table.setBusy(id) } }

    /// The connection waits for a request: it may be closed for others.
    func setIdle(_ id: ConnectionTable.ID) { state.withLock { $0.table.setIdle(id) } }

    /// The process has no free descriptor for a new connection: closes some that are idle.
    func acceptFailed() {
        let shed = state.withLock { state in
            state.table.shed(atMost: Self.shedAtOnce).compactMap { state.channels.removeValue(forKey: $0) }
        }
        for channel in shed { channel.close(promise: nil) }
        report(.descriptors, max(1, shed.count))
    }

    /// Counts, and writes one line a minute for each reason.
    private func report(_ reason: ConnectionTable.Reason, _ count: Int) {
        counters[reason]?.increment(by: count)
        let now = now()
        let (total, connections): (Int?, Int) = state.withLock { state in
            let total = state.unlogged[reason, default: 0] + count
            if let last = state.logged[reason], now - last < Self.logInterval {
                state.unlogged[reason] = total
                return (nil, state.table.count)
            }
            state.logged[reason] = now
            state.unlogged[reason] = 0
            return (total, state.table.count)
        }
        guard let total else { return }
        logger.warning(
            "too many connections: idle ones are closed, and new ones refused when all are busy",
            metadata: [
                "reason": "\(reason.rawValue)", "closedOrRefused": .stringConvertible(total),
                "connections": .stringConvertible(connections),
            ])
    }
}

/// Stops accepting connections for a moment when the process has no free descriptor (rule L9).
///
/// The listening socket stays readable then, so without a pause the event loop would try again without end.
final class AcceptGuard: ChannelDuplexHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// Time until the next attempt.
    static let pause = TimeAmount.milliseconds(200)

    private let onFailure: @Sendable () -> Void
    private var isPaused = false
    private var isReadPending = false

    init(onFailure: @escaping @Sendable () -> Void) {
        self.onFailure = onFailure
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure.errnoCode) else {
            context.fireErrorCaught(error)
            return
        }
        onFailure()
        guard !isPaused else { return }
        isPaused = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = bound.value
            handler.isPaused = false
            guard handler.isReadPending else { return }
            handler.isReadPending = false
            context.read()
        }
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadPending = true } else { context.read() }
    }
}

@available(*, unavailable)
extension AcceptGuard: Sendable {}
