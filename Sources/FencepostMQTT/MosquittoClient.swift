import CMosquitto
import FencepostService
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Owns a client of libmosquitto, and controls when it writes: only in `flush`.
///
/// libmosquitto has no manual acknowledgement; it queues the PUBACK when it reads a message. With `mosquitto_threaded_set`
/// it leaves the writing to a network thread, which is never started here, so the PUBACK stays in the queue until `flush`.
/// The caller can store the messages before. A client that is destroyed without a flush has acknowledged nothing, and the
/// broker sends the messages again.
struct MosquittoClient: ~Copyable {
    private let handle: OpaquePointer
    /// Filled by the callbacks. libmosquitto has an unretained pointer to it, so it must outlive the handle.
    private let inbox: Inbox
    private let settings: MQTTSettings
    /// What the client trusts; `nil` without TLS.
    private let authorities: TrustedAuthorities?

    /// The results of the callbacks, which run on the reading thread.
    final class Inbox: Sendable {
        struct State {
            var messages: [MQTTMessage] = []
            /// The return code of the broker's CONNACK; 0 for success.
            var answer: Int32?
            /// Whether the broker has accepted the connection.
            var isAccepted = false
            /// Whether the subscription was refused; `nil` before the SUBACK.
            var isSubscriptionRefused: Bool?
        }

        let state = Mutex(State())
    }

    /// Largest number of messages of one `receive`, about.
    private static let batch = 1000
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    /// Creates a client that is not connected.
    ///
    /// - Throws: `invalidSettings`, or `failed` when libmosquitto cannot allocate it.
    static func make(_ settings: MQTTSettings) throws(MQTTError) -> MosquittoClient {
        guard mosquitto_sub_topic_check(settings.topic) == MOSQ_ERR_SUCCESS.code else {
            throw .invalidSettings("'\(settings.topic)' is not a valid MQTT topic filter")
        }
        guard !settings.clientID.isEmpty else {
            throw .invalidSettings("a client id is required; the broker queues messages under it")
        }
        let inbox = Inbox()
        let authorities = settings.usesTLS ? try TrustedAuthorities(settings) : nil
        guard isReady,
            let handle = mosquitto_new(
                settings.clientID, !settings.keepsSession, Unmanaged.passUnretained(inbox).toOpaque())
        else { throw .failed(BrokerFailure(.lost, "no memory for a client")) }
        // The client owns the handle from here on.
        let client = MosquittoClient(handle: handle, inbox: inbox, settings: settings, authorities: authorities)
        client.setCallbacks()
        try client.setCredentials()
        return client
    }

    private init(
        handle: OpaquePointer, inbox: Inbox, settings: MQTTSettings, authorities: TrustedAuthorities?
    ) {
        self.handle = handle
        self.inbox = inbox
        self.settings = settings
        self.authorities = authorities
    }

    private func setCallbacks() {
        mosquitto_threaded_set(handle, true)
        mosquitto_connect_callback_set(handle) { _, inbox, answer in
            MosquittoClient.inbox(inbox)?.state.withLock { ($0.answer, $0.isAccepted) = (answer, answer == 0) }
        }
        mosquitto_subscribe_callback_set(handle) { _, inbox, _, count, granted in
            let isRefused = (0..<Int(count)).contains { granted?[$0] ?? 128 > 2 }
            MosquittoClient.inbox(inbox)?.state.withLock { $0.isSubscriptionRefused = isRefused }
        }
        mosquitto_message_callback_set(handle) { _, inbox, message in
            guard let copy = message.flatMap({ MQTTMessage($0.pointee) }) else { return }
            MosquittoClient.inbox(inbox)?.state.withLock { $0.messages.append(copy) }
        }
    }

    private func setCredentials() throws(MQTTError) {
        if let username = settings.username { mosquitto_username_pw_set(handle, username, settings.password) }
        try authorities?.trust(by: handle)
    }

    deinit {
        // Closes the connection without writing the queue.
        withExtendedLifetime(inbox) { mosquitto_destroy(handle) }
    }

    private static func inbox(_ pointer: UnsafeMutableRawPointer?) -> Inbox? {
        pointer.map { Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Connects; blocks until the system's timeout for an unreachable host.
    mutating func connect() throws(MQTTError) {
        let keepAlive = max(5, Int32(clamping: settings.keepAlive.components.seconds))
        try check(mosquitto_connect(handle, settings.host, Int32(clamping: settings.port), keepAlive))
    }

    /// Whether the broker has accepted the connection and the subscription.
    var isSubscribed: Bool { inbox.state.withLock { $0.isSubscriptionRefused == false } }

    /// Receives messages without acknowledging them.
    ///
    /// - Parameter milliseconds: longest wait for the first message.
    /// - Returns: the messages in order of arrival; none if the wait ended.
    /// - Throws: when the connection is lost, or the broker refuses it.
    mutating func receive(within milliseconds: Int32) throws(MQTTError) -> [MQTTMessage] {
        try flush()
        // An incomplete write is continued soon.
        var wait = mosquitto_want_write(handle) ? min(milliseconds, 50) : milliseconds
        while try isReadable(within: wait), inbox.state.withLock({ $0.messages.count < Self.batch }) {
            let code = mosquitto_loop_read(handle, 1)
            // A refusal also ends the connection.
            try checkAnswer()
            try check(code)
            wait = 0
        }
        try check(mosquitto_loop_misc(handle))
        try subscribeWhenAccepted()
        return inbox.state.withLock { state in
            defer { state.messages.removeAll() }
            return state.messages
        }
    }

    /// Writes the queue. After `receive`, this acknowledges its messages.
    mutating func flush() throws(MQTTError) {
        guard mosquitto_want_write(handle) else { return }
        try check(mosquitto_loop_write(handle, 1))
    }

    /// Sends DISCONNECT, so that the broker need not wait for a timeout.
    mutating func disconnect() {
        _ = mosquitto_disconnect(handle)
        _ = mosquitto_loop_write(handle, 1)
    }

    private func isReadable(within milliseconds: Int32) throws(MQTTError) -> Bool {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { throw .failed(BrokerFailure(.lost)) }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        // -1 after a signal counts as nothing to read.
        return poll(&descriptor, 1, milliseconds) > 0
    }

    /// Ends the subscription, so that the broker no longer queues messages for this client.
    mutating func unsubscribe() {
        mosquitto_unsubscribe(handle, nil, settings.topic)
        _ = mosquitto_loop_write(handle, 1)
    }

    private func checkAnswer() throws(MQTTError) {
        guard let answer = inbox.state.withLock({ $0.answer }), answer != 0 else { return }
        throw .failed(BrokerFailure(answer: answer))
    }

    private mutating func subscribeWhenAccepted() throws(MQTTError) {
        try checkAnswer()
        let (answer, isRefused) = inbox.state.withLock { state in
            defer { state.answer = nil }
            return (state.answer, state.isSubscriptionRefused)
        }
        if isRefused == true { throw .failed(BrokerFailure(.subscriptionRefused, settings.topic)) }
        guard answer != nil else { return }
        // It stays in the queue: a flush would also acknowledge messages that came with the CONNACK.
        try check(mosquitto_subscribe(handle, nil, settings.topic, 1))
    }

    private func check(_ code: Int32) throws(MQTTError) {
        guard code != MOSQ_ERR_SUCCESS.code else { return }
        throw .failed(BrokerFailure(code: code, errno, isAccepted: inbox.state.withLock(\.isAccepted)))
    }
}

extension MQTTMessage {
    /// A copy of a message that libmosquitto frees after the callback.
    init?(_ message: mosquitto_message) {
        guard let topic = message.topic else { return nil }
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        self.init(topic: String(cString: topic), payload: Array(payload), isRetained: message.retain)
    }
}

extension mosq_err_t {
    var code: Int32 { Int32(rawValue) }
}
