internal import CNATS
internal import Dispatch
internal import FencepostJSON
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A connection to a cluster of NATS servers, which the library renews when a server is lost.
///
/// The library's calls block, so they run on a dispatch queue.
public final class NATSConnection: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer  // because the library's own locks protect it
    nonisolated(unsafe) let jetStream: OpaquePointer  // because the library's own locks protect it
    let settings: NATSSettings
    private let queue: DispatchQueue
    /// Since when writes fail.
    private let failure = Mutex<ContinuousClock.Instant?>(nil)

    /// For how long writes may fail before another server is tried.
    static let maximumFailureTime = Duration.seconds(4)

    /// Connects.
    ///
    /// - Parameter settings: the servers and how to connect to them.
    /// - Returns: the connection.
    /// - Throws: when a setting cannot be used or no server takes the connection.
    public static func connect(_ settings: NATSSettings) async throws(NATSError) -> NATSConnection {
        let queue = DispatchQueue(label: "fencepost.nats", attributes: .concurrent)
        return try await run(on: queue) { () throws(NATSError) in try NATSConnection(settings, queue) }
    }

    private init(_ settings: NATSSettings, _ queue: DispatchQueue) throws(NATSError) {
        let options = try Self.options(settings)
        defer { natsOptions_Destroy(options) }
        var handle: OpaquePointer?
        let status = natsConnection_Connect(&handle, options)
        guard status == NATS_OK, let handle else {
            let servers = settings.servers.map(NATSSettings.withoutPassword).joined(separator: ", ")
            let text = String(cString: natsStatus_GetText(status))
            throw .unavailable("NATS at \(servers) cannot be connected to: \(text)")
        }
        var context: OpaquePointer?
        let made = natsConnection_JetStream(&context, handle, nil)
        guard made == NATS_OK, let context else {
            natsConnection_Destroy(handle)
            throw NATSError(made)
        }
        self.handle = handle
        jetStream = context
        self.settings = settings
        self.queue = queue
    }

    deinit {
        jsCtx_Destroy(jetStream)
        natsConnection_Destroy(handle)
    }

    private static func options(_ settings: NATSSettings) throws(NATSError) -> OpaquePointer {
        guard !settings.servers.isEmpty else { throw .invalidSettings("at least one NATS server is required") }
        var created: OpaquePointer?
        guard natsOptions_Create(&created) == NATS_OK, let options = created else {
            throw .unavailable("there is no memory for a NATS connection")
        }
        var copies: [UnsafePointer<CChar>?] = settings.servers.map { UnsafePointer(strdup($0)) }
        defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
        let calls: [(String, natsStatus)] = [
            ("servers", natsOptions_SetServers(options, &copies, Int32(copies.count))),
            ("name", natsOptions_SetName(options, settings.name)),
            ("timeout", natsOptions_SetTimeout(options, settings.milliseconds)),
            ("reconnection", natsOptions_SetMaxReconnect(options, -1)),
            ("reconnection", natsOptions_SetReconnectWait(options, 200)),
            // A connection whose server stopped without a word is noticed within six seconds.
            ("pings", natsOptions_SetPingInterval(options, 2000)),
            ("pings", natsOptions_SetMaxPingsOut(options, 2)),
            ("requests", natsOptions_SetFailRequestsOnDisconnect(options, true)),
            ("writes", natsOptions_SetSendAsap(options, true)),
            (
                "credentialsFile",
                settings.credentialsFile.map {
                    natsOptions_SetUserCredentialsFromFiles(options, $0, nil)
                } ?? NATS_OK
            ),
            (
                "certificateFile",
                settings.certificateFile.map { file in
                    let status = natsOptions_SetSecure(options, true)
                    return status == NATS_OK ? natsOptions_LoadCATrustedCertificates(options, file) : status
                } ?? NATS_OK
            ),
        ]
        if let failed = calls.first(where: { $0.1 != NATS_OK }) {
            natsOptions_Destroy(options)
            throw .invalidSettings("NATS: \(failed.0): \(String(cString: natsStatus_GetText(failed.1)))")
        }
        return options
    }

    /// Whether a server is connected now.
    public var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// The address of the connected server; `nil` while there is none.
    var server: String? {
        var text = [CChar](repeating: 0, count: 256)
        guard natsConnection_GetConnectedUrl(handle, &text, text.count) == NATS_OK else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The largest message that the server takes, in bytes.
    public var maximumPayload: Int { Int(natsConnection_GetMaxPayload(handle)) }

    /// The address of this machine on the way to the server; `nil` while it is not connected.
    public var localAddress: String? {
        var (text, port): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        guard natsConnection_GetLocalIPAndPort(handle, &text, &port) == NATS_OK, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// The level of JetStream's API; `nil` before 2.11.
    ///
    /// - Returns: the level, 5 for 2.15.
    /// - Throws: when no answer comes.
    public func apiLevel() async throws(NATSError) -> Int? {
        let answer = try await run { connection throws(NATSError) in
            try connection.request("$JS.API.INFO", [], headers: [])
        }
        guard let document = try? JSONDocument(parsing: answer) else {
            throw .unavailable("JetStream's information is no JSON")
        }
        if let error = document.root["error"] {
            throw .refused(code: error["err_code"]?.int ?? 0, error["description"]?.string ?? "")
        }
        return document.root["api"]?["level"]?.int
    }

    /// Checks that the servers keep the promises that the log depends on.
    ///
    /// - Throws: when they are older than 2.11, which may store two records behind the same one, or do not answer.
    public func checkServers() async throws(NATSError) {
        guard try await apiLevel() != nil else {
            throw .unfit("These NATS servers are older than 2.11, or have JetStream off. Install 2.15 or later.")
        }
    }

    /// Runs a blocking call.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (NATSConnection) throws(NATSError) -> Value
    ) async throws(NATSError) -> Value {
        try await Self.run(on: queue) { () throws(NATSError) in try body(self) }
    }

    private static func run<Value: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws(NATSError) -> Value
    ) async throws(NATSError) -> Value {
        let result: Result<Value, NATSError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(NATSError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Sends a request and waits for the answer. Blocks.
    func request(
        _ subject: String, _ bytes: [UInt8], headers: [(name: String, value: String)]
    ) throws(NATSError) -> [UInt8] {
        let (status, answer) = requestStatus(subject, bytes, headers)
        guard status == NATS_OK else { throw NATSError(status) }
        return answer
    }

    /// As `request`, with the library's status.
    func requestStatus(
        _ subject: String, _ bytes: [UInt8], _ headers: [(name: String, value: String)]
    ) -> (natsStatus, [UInt8]) {
        // The library keeps what is sent while it reconnects, and sends it later.
        guard isConnected else { return (NATS_CONNECTION_DISCONNECTED, []) }
        var message: OpaquePointer?
        let created = bytes.withUnsafeBytes {
            natsMsg_Create(
                &message, subject, nil, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        guard created == NATS_OK else { return (created, []) }
        defer { natsMsg_Destroy(message) }
        for header in headers {
            let status = natsMsgHeader_Set(message, header.name, header.value)
            guard status == NATS_OK else { return (status, []) }
        }
        var reply: OpaquePointer?
        let status = natsConnection_RequestMsg(&reply, handle, message, settings.milliseconds)
        defer { natsMsg_Destroy(reply) }
        return (status, status == NATS_OK ? Self.bytes(of: reply) : [])
    }

    static func bytes(of message: OpaquePointer?) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message))))
    }

    /// Notes how a write ended, and goes on to the next server when none succeeds.
    ///
    /// A server that has lost the others still takes connections, and may answer reads with what it knew.
    ///
    /// - Parameters:
    ///   - hasSucceeded: whether the servers have stored it; false when no answer came.
    ///   - now: the time.
    func noteWrite(_ hasSucceeded: Bool, at now: ContinuousClock.Instant = .now) {
        let isOver = failure.withLock { failure in
            guard !hasSucceeded, isConnected else {
                failure = nil
                return false
            }
            guard let since = failure, now - since >= Self.maximumFailureTime else {
                failure = failure ?? now
                return false
            }
            failure = nil
            return true
        }
        if isOver { leaveServer() }
    }

    /// Ends the connection's socket, so that the library connects to the next server: it has no call for that.
    func leaveServer() {
        var (text, port): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        guard natsConnection_GetLocalIPAndPort(handle, &text, &port) == NATS_OK else { return }
        free(text)
        guard let folder = opendir("/proc/self/fd") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = Int32(name), Self.isConnection(descriptor, from: port) {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Whether a descriptor is a connection from a port of this machine to another one.
    private static func isConnection(_ descriptor: Int32, from port: Int32) -> Bool {
        var (own, other) = (sockaddr_storage(), sockaddr_storage())
        return withUnsafeMutableBytes(of: &own) { own in
            withUnsafeMutableBytes(of: &other) { other in
                var (ownSize, otherSize) = (socklen_t(own.count), socklen_t(other.count))
                guard let address = own.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    let peer = other.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    getsockname(descriptor, address, &ownSize) == 0, getpeername(descriptor, peer, &otherSize) == 0,
                    [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
                else { return false }
                // The port is behind the family in both kinds of addresses, in the order of the network.
                return Int32(own[2]) << 8 | Int32(own[3]) == port
            }
        }
    }

    /// JetStream's options with the timeout of the settings.
    var options: jsOptions {
        var options = jsOptions()
        jsOptions_Init(&options)
        options.Wait = settings.milliseconds
        return options
    }
}
