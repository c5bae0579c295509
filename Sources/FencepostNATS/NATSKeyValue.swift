internal import CNATS

/// A bucket of values that change only when the writer knows their revision.
public final class NATSKeyValue: Sendable {
    private let connection: NATSConnection
    private nonisolated(unsafe) let handle: OpaquePointer  // because the library's own locks protect it

    private init(_ connection: NATSConnection, _ handle: OpaquePointer) {
        self.connection = connection
        self.handle = handle
    }

    deinit { kvStore_Destroy(handle) }

    /// Opens a bucket, and creates it when it does not exist.
    ///
    /// - Parameters:
    ///   - name: the bucket's name.
    ///   - connection: the connection.
    ///   - replicas: the number of servers that hold it: 1, 3 or 5.
    ///   - lifetime: how long a value is kept; `nil` for ever.
    /// - Returns: the bucket.
    /// - Throws: when NATS does not answer or refuses.
    public static func open(
        _ name: String, on connection: NATSConnection, replicas: Int, lifetime: Duration? = nil
    ) async throws(NATSError) -> NATSKeyValue {
        try await connection.run { connection throws(NATSError) in
            var handle: OpaquePointer?
            var status = js_KeyValue(&handle, connection.jetStream, name)
            if status == NATS_NOT_FOUND {
                status = name.withCString { name in
                    var config = kvConfig()
                    kvConfig_Init(&config)
                    config.Bucket = name
                    config.History = 1
                    config.StorageType = js_FileStorage
                    config.Replicas = Int32(replicas)
                    config.TTL = lifetime.map { Int64($0 / .nanoseconds(1)) } ?? 0
                    return js_CreateKeyValue(&handle, connection.jetStream, &config)
                }
            }
            guard status == NATS_OK, let handle else { throw NATSError(status) }
            return NATSKeyValue(connection, handle)
        }
    }

    /// Opens a bucket that exists.
    ///
    /// - Parameters:
    ///   - name: the bucket's name.
    ///   - connection: the connection.
    /// - Returns: the bucket; `nil` when there is none.
    /// - Throws: when NATS does not answer or refuses.
    public static func existing(
        _ name: String, on connection: NATSConnection
    ) async throws(NATSError) -> NATSKeyValue? {
        try await connection.run { connection throws(NATSError) in
            var handle: OpaquePointer?
            let status = js_KeyValue(&handle, connection.jetStream, name)
            if status == NATS_NOT_FOUND { return nil }
            guard status == NATS_OK, let handle else { throw NATSError(status) }
            return NATSKeyValue(connection, handle)
        }
    }

    /// Removes a bucket with all its values.
    ///
    /// - Parameters:
    ///   - name: the bucket's name.
    ///   - connection: the connection.
    /// - Throws: when NATS does not answer; nothing when there is no such bucket.
    public static func remove(_ name: String, on connection: NATSConnection) async throws(NATSError) {
        try await connection.run { connection throws(NATSError) in
            let status = js_DeleteKeyValue(connection.jetStream, name)
            guard status == NATS_OK || status == NATS_NOT_FOUND else { throw NATSError(status) }
        }
    }

    /// Removes a key's value.
    ///
    /// - Parameter key: the key.
    /// - Throws: when NATS does not answer.
    public func remove(_ key: String) async throws(NATSError) {
        let bucket = self
        try await connection.run { _ throws(NATSError) in
            let status = kvStore_Delete(bucket.handle, key)
            guard status == NATS_OK else { throw NATSError(status) }
        }
    }

    /// The value of a key.
    ///
    /// - Parameter key: the key.
    /// - Returns: the value with its revision; `nil` when there is none.
    /// - Throws: when NATS does not answer.
    public func value(_ key: String) async throws(NATSError) -> (bytes: [UInt8], revision: UInt64)? {
        let bucket = self
        return try await connection.run { _ throws(NATSError) in
            var entry: OpaquePointer?
            let status = kvStore_Get(&entry, bucket.handle, key)
            if status == NATS_NOT_FOUND { return nil }
            guard status == NATS_OK else { throw NATSError(status) }
            defer { kvEntry_Destroy(entry) }
            let bytes = UnsafeRawBufferPointer(start: kvEntry_Value(entry), count: Int(kvEntry_ValueLen(entry)))
            return (Array(bytes), kvEntry_Revision(entry))
        }
    }

    /// All keys that have a value.
    ///
    /// - Returns: the keys in no order.
    /// - Throws: when NATS does not answer.
    public func keys() async throws(NATSError) -> [String] {
        let bucket = self
        return try await connection.run { connection throws(NATSError) in
            guard connection.isConnected else { throw NATSError(NATS_CONNECTION_DISCONNECTED) }
            var options = kvWatchOptions()
            kvWatchOptions_Init(&options)
            options.Timeout = connection.settings.milliseconds
            var list = kvKeysList()
            let status = kvStore_Keys(&list, bucket.handle, &options)
            defer { kvKeysList_Destroy(&list) }
            if status == NATS_NOT_FOUND { return [] }
            guard status == NATS_OK else { throw NATSError(status) }
            return (0..<Int(list.Count)).compactMap { list.Keys?[$0].map { String(cString: $0) } }
        }
    }

    /// Sets the value of a key whose revision is known. A conflict is decided by reading the value: JetStream's refusals are not
    /// always right, and an answer may be lost.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - bytes: its new value.
    ///   - revision: the revision of its present value; `nil` for a key that does not exist.
    /// - Returns: the new revision, which is higher.
    /// - Throws: when the value has another revision, or NATS does not answer.
    public func set(
        _ key: String, to bytes: [UInt8], replacing revision: UInt64?
    ) async throws(NATSError) -> UInt64 {
        let bucket = self
        let status = try await connection.run { connection throws(NATSError) in
            guard connection.isConnected else { throw NATSError(NATS_CONNECTION_DISCONNECTED) }
            var new: UInt64 = 0
            let status = bytes.withUnsafeBytes { bytes in
                if let revision {
                    kvStore_Update(&new, bucket.handle, key, bytes.baseAddress, Int32(bytes.count), revision)
                } else {
                    kvStore_Create(&new, bucket.handle, key, bytes.baseAddress, Int32(bytes.count))
                }
            }
            // A refusal says nothing: a server that has lost the others refuses by what it knew.
            if status == NATS_OK || status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS {
                connection.noteWrite(status == NATS_OK)
            }
            return (status, new)
        }
        if status.0 == NATS_OK { return status.1 }
        guard let current = try await value(key) else { throw NATSError(status.0) }
        guard current.revision == revision else { throw .conflict }
        throw .unavailable("NATS refused a value whose revision is right: repeat")
    }
}
