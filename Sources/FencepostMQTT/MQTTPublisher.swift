import CMosquitto
import Dispatch
public import FencepostService
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Publishes to a broker, and connects again after a loss. The broker has the will that says so.
///
/// One thread connects, reads and writes. A message is handed over only while the broker is connected, so that one
/// that failed is never sent later behind the back of its sender.
public final class MQTTPublisher: Sendable {
    /// The result of one message.
    public enum Outcome: Hashable, Sendable {
        /// The broker has it.
        case acknowledged
        /// The broker is not connected, or the connection was lost before the answer.
        case disconnected
        /// No answer within the limit.
        case timeout
    }

    /// The state that the thread and the callers share.
    private final class Shared: Sendable {
        struct State {
            var isConnected = false
            var isStopping = false
            /// Senders by the number of their message.
            var waiting: [Int32: Promise<Outcome>] = [:]
            /// Numbers of answers that came before the sender waited.
            var answered: Set<Int32> = []
            /// What is being read of the broker; `nil` while nothing is.
            var reading: Reading?
            /// How many messages the broker has taken.
            var count = 0
            /// Why the broker refuses this connection; `nil` where it does not.
            var refusal: BrokerFailure?
            /// Whether the broker has accepted this connection.
            var isAccepted = false
        }

        /// What the broker keeps, as far as it came.
        struct Reading {
            /// The topic of the last message.
            let end: String
            let isComplete: Promise<Bool>
            var kept: [MQTTMessage] = []
        }

        let state = Mutex(State())
        let onConnection: @Sendable (Bool) -> Void
        let onFailure: @Sendable (BrokerFailure) -> Void

        init(
            _ onConnection: @escaping @Sendable (Bool) -> Void, _ onFailure: @escaping @Sendable (BrokerFailure) -> Void
        ) {
            (self.onConnection, self.onFailure) = (onConnection, onFailure)
        }

        /// Takes the broker's answer to a connection.
        func answered(connection code: Int32) {
            state.withLock { state in
                state.isAccepted = code == 0
                state.refusal = code == 0 ? nil : BrokerFailure(answer: code)
            }
            connected(code == 0)
        }

        /// Takes why a connection has ended.
        func ended(_ code: Int32, _ number: Int32) {
            let failure: BrokerFailure? = state.withLock { state in
                defer { (state.refusal, state.isAccepted) = (nil, false) }
                guard !state.isStopping else { return nil }
                return state.refusal ?? BrokerFailure(code: code, number, isAccepted: state.isAccepted)
            }
            connected(false)
            if let failure { onFailure(failure) }
        }

        func connected(_ isConnected: Bool) {
            let wasConnected = self.state.withLock { $0.isConnected }
            let (lost, reading) = state.withLock { state in
                state.isConnected = isConnected && !state.isStopping
                defer { if !isConnected { (state.waiting, state.reading) = ([:], nil) } }
                state.answered = []
                return isConnected ? ([], nil) : (Array(state.waiting.values), state.reading)
            }
            for promise in lost { promise.fulfill(.disconnected) }
            reading?.isComplete.fulfill(false)
            if wasConnected != isConnected { onConnection(isConnected) }
        }

        /// What the broker keeps is marked as such when it comes for a new subscription. What follows is what is published now.
        func received(_ message: MQTTMessage) {
            let complete: Promise<Bool>? = state.withLock { state in
                guard message.isRetained else {
                    return state.reading.flatMap { $0.end == message.topic ? $0.isComplete : nil }
                }
                state.reading?.kept.append(message)
                return nil
            }
            complete?.fulfill(true)
        }

        func answered(_ number: Int32) {
            let promise: Promise<Outcome>? = state.withLock { state in
                state.count += 1
                if let promise = state.waiting.removeValue(forKey: number) { return promise }
                state.answered.insert(number)
                return nil
            }
            promise?.fulfill(.acknowledged)
        }
    }

    /// All threads may call it after `mosquitto_threaded_set`.
    nonisolated(unsafe) private let handle: OpaquePointer  // because the library's own locks protect it
    private let shared: Shared
    /// What the client trusts; `nil` without TLS.
    private let authorities: TrustedAuthorities?
    private let host: String
    private let port, keepAlive: Int32
    private let queue = DispatchQueue(label: "fencepost.mqtt.publisher")

    /// Waits between two connections, which double up to the longest.
    private static let firstDelay = 1.0, longestDelay = 15.0

    /// Creates a publisher, which `start` connects.
    ///
    /// - Parameters:
    ///   - settings: address and credentials; the subscription is not used.
    ///   - will: the topic that has `online` while this publisher is connected, and otherwise `offline`.
    ///   - onConnection: called on the publisher's thread when the connection is there, and when it is lost.
    ///   - onFailure: called there with the reason, when a connection cannot be made or has ended.
    /// - Throws: `MQTTError.invalidSettings` when the certificates cannot be read.
    public init(
        _ settings: MQTTSettings, will: String, onConnection: @escaping @Sendable (Bool) -> Void = { _ in },
        onFailure: @escaping @Sendable (BrokerFailure) -> Void = { _ in }
    ) throws(MQTTError) {
        guard mosquitto_lib_init() == 0, !settings.clientID.isEmpty else {
            throw .invalidSettings("a client id is required")
        }
        let shared = Shared(onConnection, onFailure)
        authorities = settings.usesTLS ? try TrustedAuthorities(settings) : nil
        guard let handle = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(shared).toOpaque()) else {
            throw .failed(BrokerFailure(.lost, "no memory for a client"))
        }
        (self.handle, self.shared) = (handle, shared)
        (host, port) = (settings.host, Int32(clamping: settings.port))
        keepAlive = max(5, Int32(clamping: settings.keepAlive.components.seconds))
        mosquitto_threaded_set(handle, true)
        if let username = settings.username { mosquitto_username_pw_set(handle, username, settings.password) }
        try authorities?.trust(by: handle)
        mosquitto_will_set(handle, will, 7, "offline", 1, true)
        setCallbacks()
    }

    private func setCallbacks() {
        mosquitto_connect_callback_set(handle) { _, context, code in
            MQTTPublisher.shared(context)?.answered(connection: code)
        }
        mosquitto_disconnect_callback_set(handle) { _, context, _ in MQTTPublisher.shared(context)?.connected(false) }
        mosquitto_publish_callback_set(handle) { _, context, number in MQTTPublisher.shared(context)?.answered(number) }
        mosquitto_message_callback_set(handle) { _, context, message in
            guard let copy = message.flatMap({ MQTTMessage($0.pointee) }) else { return }
            MQTTPublisher.shared(context)?.received(copy)
        }
    }

    private static func shared(_ pointer: UnsafeMutableRawPointer?) -> Shared? {
        pointer.map { Unmanaged<Shared>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Starts the thread, which connects.
    public func start() {
        // The closure keeps the publisher until the thread has ended.
        queue.async { self.work() }
    }

    /// libmosquitto's own loop gives up after some failures to connect, so this one is around it.
    private func work() {
        var delay = Self.firstDelay
        while !isStopping {
            var code = mosquitto_connect(handle, host, port, keepAlive)
            var number = errno
            if code == 0 {
                while !isStopping, code == 0 {
                    code = mosquitto_loop(handle, 250, 1)
                    number = errno
                }
                // A broker that refuses the client is not asked again every second.
                if shared.state.withLock({ $0.isAccepted }) { delay = Self.firstDelay }
            }
            shared.ended(code, number)
            let end = ContinuousClock.now + .seconds(delay)
            while !isStopping, ContinuousClock.now < end { usleep(50_000) }
            delay = min(delay * 2, Self.longestDelay)
        }
    }

    private var isStopping: Bool { shared.state.withLock { $0.isStopping } }

    /// Takes leave of the broker, which then does not publish the will, and ends the thread.
    public func stop() {
        mosquitto_disconnect(handle)
        shared.state.withLock { $0.isStopping = true }
        shared.connected(false)
    }

    deinit { withExtendedLifetime(shared) { mosquitto_destroy(handle) } }

    /// Whether the broker has accepted the connection.
    public var isConnected: Bool { shared.state.withLock { $0.isConnected } }

    /// How many messages the broker has taken from this publisher.
    public var count: Int { shared.state.withLock { $0.count } }

    /// Publishes with QoS 1 and waits for the broker's answer.
    ///
    /// - Parameters:
    ///   - message: topic and payload; `isRetained` has the broker keep it for later subscribers.
    ///   - limit: how long to wait for the answer.
    /// - Returns: whether the broker has it.
    public func publish(_ message: MQTTMessage, within limit: Duration = .seconds(10)) async -> Outcome {
        guard isConnected else { return .disconnected }
        var number: Int32 = 0
        let code = message.payload.withUnsafeBytes { bytes in
            mosquitto_publish(
                handle, &number, message.topic, Int32(bytes.count), bytes.baseAddress, 1, message.isRetained)
        }
        guard code == 0 else { return .disconnected }
        let promise = Promise<Outcome>()
        let isAnswered: Bool? = shared.state.withLock { state in
            guard state.isConnected else { return false }
            if state.answered.remove(number) != nil { return true }
            state.waiting[number] = promise
            return nil
        }
        if let isAnswered { return isAnswered ? .acknowledged : .disconnected }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: limit)
                promise.fulfill(.timeout)
            }
            let outcome = await promise.value
            group.cancelAll()
            return outcome
        }
    }

    /// Publishes a retained message with QoS 1 without waiting for the answer.
    ///
    /// - Returns: whether it was handed over.
    @discardableResult
    public func retain(_ topic: String, _ payload: String) -> Bool {
        guard isConnected else { return false }
        var number: Int32 = 0
        return Array(payload.utf8).withUnsafeBytes { bytes in
            mosquitto_publish(handle, &number, topic, Int32(bytes.count), bytes.baseAddress, 1, true)
        } == 0
    }

    /// Reads what the broker keeps of some topics, and publishes a message.
    ///
    /// - Parameters:
    ///   - filters: which topics; that of the message has to be among them.
    ///   - message: ends the reading when it comes back. It is published in any case.
    ///   - limit: how long to wait for it.
    /// - Returns: the kept messages; `nil` when the broker does not let this client read, or does not answer in time.
    func read(_ filters: [String], before message: MQTTMessage, within limit: Duration = .seconds(5)) async
        -> [MQTTMessage]?
    {
        let isComplete = Promise<Bool>()
        shared.state.withLock { $0.reading = Shared.Reading(end: message.topic, isComplete: isComplete) }
        let isAsked = filters.allSatisfy { mosquitto_subscribe(handle, nil, $0, 0) == 0 }
        let outcome = await publish(message, within: limit)
        if !isAsked || outcome != .acknowledged { isComplete.fulfill(false) }
        let isRead = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: limit)
                isComplete.fulfill(false)
            }
            let isRead = await isComplete.value
            group.cancelAll()
            return isRead
        }
        for filter in filters { mosquitto_unsubscribe(handle, nil, filter) }
        return shared.state.withLock { state in
            defer { state.reading = nil }
            return isRead ? state.reading?.kept : nil
        }
    }
}

/// Counts the connections to the broker, so that a new one is noticed.
final class ConnectionCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increase() { count.add(1, ordering: .relaxed) }
}
