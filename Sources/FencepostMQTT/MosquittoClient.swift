import CMosquitto
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Owns one client of libmosquitto, and drives it by hand: nothing is written to the broker but by `flush`.
///
/// libmosquitto has no acknowledgement by hand: it makes the PUBACK itself when it reads a message. But it writes
/// nothing of its own accord for a client that it is told has threads (`mosquitto_threaded_set`), and as no thread of
/// its runs, the PUBACK waits in its queue. So who takes the messages can make them durable first, and a client that is
/// destroyed before has acknowledged nothing: the broker sends them again.
struct MosquittoClient: ~Copyable {
    private let handle: OpaquePointer
    /// What the callbacks put down. libmosquitto holds a pointer to it as long as the client lives.
    private let inbox: Inbox
    private let settings: MQTTSettings

    /// Filled on the thread that reads.
    final class Inbox: Sendable {
        struct State {
            var messages: [MQTTMessage] = []
            /// The broker's answer to CONNECT; 0 is a welcome.
            var answer: Int32?
            /// Whether the subscription was refused; `nil` while nothing is known.
            var isSubscriptionRefused: Bool?
        }

        let state = Mutex(State())
    }

    /// How many messages are taken in one go.
    private static let batch = 1000
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    /// - Throws: `invalidSettings`; `disconnected` without memory.
    static func make(_ settings: MQTTSettings) throws(MQTTError) -> MosquittoClient {
        guard mosquitto_sub_topic_check(settings.topic) == MOSQ_ERR_SUCCESS.code else {
            throw .invalidSettings("'\(settings.topic)' is no filter of MQTT topics")
        }
        guard !settings.clientID.isEmpty else {
            throw .invalidSettings("a client that is to get what came while it was away needs an id")
        }
        let inbox = Inbox()
        guard isReady, let handle = mosquitto_new(settings.clientID, false, Unmanaged.passUnretained(inbox).toOpaque())
        else { throw .disconnected("no memory for a client") }
        // From here on the handle is the client's to destroy.
        let client = MosquittoClient(handle: handle, inbox: inbox, settings: settings)
        client.setCallbacks()
        try client.setCredentials()
        return client
    }

    private init(handle: OpaquePointer, inbox: Inbox, settings: MQTTSettings) {
        self.handle = handle
        self.inbox = inbox
        self.settings = settings
    }

    private func setCallbacks() {
        mosquitto_threaded_set(handle, true)
        mosquitto_connect_callback_set(handle) { _, inbox, answer in
            MosquittoClient.inbox(inbox)?.state.withLock { $0.answer = answer }
        }
        mosquitto_subscribe_callback_set(handle) { _, inbox, _, count, granted in
            let isRefused = (0..<Int(count)).contains { granted?[$0] ?? 128 > 2 }
            MosquittoClient.inbox(inbox)?.state.withLock { $0.isSubscriptionRefused = isRefused }
        }
        mosquitto_message_callback_set(handle) { _, inbox, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            // The message is libmosquitto's, and gone after the callback.
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            let copy = MQTTMessage(
                topic: String(cString: topic), payload: Array(payload), isRetained: message.retain)
            MosquittoClient.inbox(inbox)?.state.withLock { $0.messages.append(copy) }
        }
    }

    private func setCredentials() throws(MQTTError) {
        if let username = settings.username { mosquitto_username_pw_set(handle, username, settings.password) }
        guard settings.usesTLS else { return }
        let folder = settings.certificateFile == nil ? "/etc/ssl/certs" : nil
        guard mosquitto_tls_set(handle, settings.certificateFile, folder, nil, nil, nil) == MOSQ_ERR_SUCCESS.code else {
            throw .invalidSettings("the certificates in \(settings.certificateFile ?? "/etc/ssl/certs") cannot be read")
        }
    }

    deinit {
        // Closes the connection without writing what is queued.
        withExtendedLifetime(inbox) { mosquitto_destroy(handle) }
    }

    private static func inbox(_ pointer: UnsafeMutableRawPointer?) -> Inbox? {
        pointer.map { Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Opens the connection; waits as long as the system does for a host that does not answer.
    mutating func connect() throws(MQTTError) {
        let keepAlive = max(5, Int32(clamping: settings.keepAlive.components.seconds))
        try check(mosquitto_connect(handle, settings.host, Int32(clamping: settings.port), keepAlive))
    }

    /// Whether the broker has welcomed the client and taken its subscription.
    var isSubscribed: Bool { inbox.state.withLock { $0.isSubscriptionRefused == false } }

    /// Waits for messages and takes those that are there, acknowledging none of them.
    ///
    /// - Parameter milliseconds: how long to wait for the first; none may have come then.
    /// - Throws: when the connection is gone, or the broker wants nothing of it.
    mutating func receive(within milliseconds: Int32) throws(MQTTError) -> [MQTTMessage] {
        try flush()
        // What could not be written now is tried again soon.
        var wait = mosquitto_want_write(handle) ? min(milliseconds, 50) : milliseconds
        while try isReadable(within: wait), inbox.state.withLock({ $0.messages.count < Self.batch }) {
            try check(mosquitto_loop_read(handle, 1))
            wait = 0
        }
        try check(mosquitto_loop_misc(handle))
        try subscribeWhenWelcome()
        return inbox.state.withLock { state in
            defer { state.messages.removeAll() }
            return state.messages
        }
    }

    /// Writes what is queued: after `receive` that is the acknowledgement of its messages.
    mutating func flush() throws(MQTTError) {
        guard mosquitto_want_write(handle) else { return }
        try check(mosquitto_loop_write(handle, 1))
    }

    /// Takes leave of the broker, so that it need not wait for the connection to time out.
    mutating func disconnect() {
        _ = mosquitto_disconnect(handle)
        _ = mosquitto_loop_write(handle, 1)
    }

    private func isReadable(within milliseconds: Int32) throws(MQTTError) -> Bool {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { throw .disconnected("the connection is closed") }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        // A signal makes it answer -1, which is as good as nothing to read.
        return poll(&descriptor, 1, milliseconds) > 0
    }

    private mutating func subscribeWhenWelcome() throws(MQTTError) {
        let (answer, isRefused) = inbox.state.withLock { state in
            defer { state.answer = nil }
            return (state.answer, state.isSubscriptionRefused)
        }
        if isRefused == true { throw .refused("the broker does not allow the subscription to \(settings.topic)") }
        guard let answer else { return }
        guard answer == 0 else { throw .refused(String(cString: mosquitto_connack_string(answer))) }
        // Left in the queue: written now, it would take along the acknowledgement of what came with the welcome.
        try check(mosquitto_subscribe(handle, nil, settings.topic, 1))
    }

    private func check(_ code: Int32) throws(MQTTError) {
        guard code != MOSQ_ERR_SUCCESS.code else { return }
        let reason =
            code == MOSQ_ERR_ERRNO.code ? String(cString: strerror(errno)) : String(cString: mosquitto_strerror(code))
        throw .disconnected(reason)
    }
}

extension mosq_err_t {
    fileprivate var code: Int32 { Int32(rawValue) }
}
