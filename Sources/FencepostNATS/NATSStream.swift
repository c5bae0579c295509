internal import CNATS

/// A stream that holds commit logs: on disk, without expiry, refusing what exceeds its size.
public struct NATSStream: Hashable, Sendable {
    /// The name of the stream: letters, digits, `_` and `-`.
    public var name: String
    /// The subjects of its logs, which may end in `.*`.
    public var subject: String
    /// The number of servers that hold it: 1, 3 or 5.
    public var replicas: Int
    /// The largest size in bytes.
    public var maximumBytes: Int64

    /// Creates a description; nothing is created in NATS.
    public init(name: String, subject: String, replicas: Int, maximumBytes: Int64 = 10 << 30) {
        self.name = name
        self.subject = subject
        self.replicas = replicas
        self.maximumBytes = maximumBytes
    }

    /// Creates the stream, or checks the one that exists.
    ///
    /// - Parameter connection: the connection.
    /// - Throws: when NATS does not answer, or the stream exists with settings that the log cannot work with.
    public func prepare(on connection: NATSConnection) async throws(NATSError) {
        let stream = self
        try await connection.run { connection throws(NATSError) in
            do throws(NATSError) {
                try stream.check(connection)
            } catch .notFound {
                do throws(NATSError) { try stream.create(connection) } catch .conflict { try stream.check(connection) }
            }
        }
    }

    /// Checks the stream, and creates nothing.
    ///
    /// - Parameter connection: the connection.
    /// - Throws: when NATS does not answer, or the stream does not exist or has settings that the log cannot work with.
    public func verify(on connection: NATSConnection) async throws(NATSError) {
        let stream = self
        try await connection.run { connection throws(NATSError) in try stream.check(connection) }
    }

    /// Removes the stream with all its records.
    ///
    /// - Parameter connection: the connection.
    /// - Throws: when NATS does not answer; nothing when there is no such stream.
    public func remove(on connection: NATSConnection) async throws(NATSError) {
        let stream = self
        try await connection.run { connection throws(NATSError) in
            var options = connection.options
            options.Wait = max(options.Wait, 10_000)
            var code = jsErrCode(rawValue: 0)
            let status = js_DeleteStream(connection.jetStream, stream.name, &options, &code)
            guard status == NATS_OK || status == NATS_NOT_FOUND else { throw NATSError(status, code: code) }
        }
    }

    private func create(_ connection: NATSConnection) throws(NATSError) {
        var options = connection.options
        // Choosing the servers and syncing to their disks takes longer than a request.
        options.Wait = max(options.Wait, 10_000)
        var code = jsErrCode(rawValue: 0)
        let status = name.withCString { name in
            subject.withCString { subject in
                var subjects: [UnsafePointer<CChar>?] = [subject]
                return subjects.withUnsafeMutableBufferPointer { subjects in
                    var config = jsStreamConfig()
                    jsStreamConfig_Init(&config)
                    config.Name = name
                    config.Subjects = subjects.baseAddress
                    config.SubjectsLen = 1
                    config.Storage = js_FileStorage
                    config.Retention = js_LimitsPolicy
                    config.Discard = js_DiscardNew
                    config.MaxBytes = maximumBytes
                    config.Replicas = Int64(replicas)
                    config.Duplicates = 120_000_000_000
                    return js_AddStream(nil, connection.jetStream, &config, &options, &code)
                }
            }
        }
        guard status == NATS_OK else { throw NATSError(status, code: code) }
    }

    private func check(_ connection: NATSConnection) throws(NATSError) {
        var options = connection.options
        var code = jsErrCode(rawValue: 0)
        var info: UnsafeMutablePointer<jsStreamInfo>?
        let status = js_GetStreamInfo(&info, connection.jetStream, name, &options, &code)
        guard status == NATS_OK, let info, let config = info.pointee.Config?.pointee else {
            throw NATSError(status, code: code)
        }
        defer { jsStreamInfo_Destroy(info) }
        let subjects = (0..<Int(config.SubjectsLen)).compactMap { config.Subjects?[$0].map { String(cString: $0) } }
        let checks: [(isRight: Bool, String)] = [
            (subjects == [subject], "subjects \(subjects.joined(separator: ", ")) in place of \(subject)"),
            (config.Storage == js_FileStorage, "memory storage in place of files"),
            (config.Retention == js_LimitsPolicy, "a retention other than limits"),
            (config.Discard == js_DiscardNew, "discard old in place of new"),
            (config.MaxAge == 0, "a maximum age, which would remove records"),
            (config.MaxMsgs <= 0, "a maximum number of messages"),
            (config.MaxMsgsPerSubject <= 0, "a maximum number of messages of a subject"),
            (config.Replicas == replicas, "\(config.Replicas) replicas in place of \(replicas)"),
        ]
        if let wrong = checks.first(where: { !$0.isRight }) {
            throw .otherSettings(
                "The NATS stream \(name) has \(wrong.1). Correct it with `nats stream edit`, or choose another name.")
        }
    }

    /// What a stream holds.
    public struct Content: Hashable, Sendable {
        /// Its size in bytes.
        public var bytes: Int64
        /// The sequences of its oldest and newest message; 0 for none.
        public var first, last: UInt64
        /// Its largest size in bytes, as it is set in NATS; `nil` for none.
        public var limit: Int64?
    }

    /// What the stream holds now.
    ///
    /// - Parameter connection: the connection.
    /// - Returns: its size and sequences.
    /// - Throws: when NATS does not answer, or the stream does not exist.
    public func content(on connection: NATSConnection) async throws(NATSError) -> Content {
        let stream = self
        return try await connection.run { connection throws(NATSError) in
            var options = connection.options
            var code = jsErrCode(rawValue: 0)
            var info: UnsafeMutablePointer<jsStreamInfo>?
            let status = js_GetStreamInfo(&info, connection.jetStream, stream.name, &options, &code)
            guard status == NATS_OK, let info else { throw NATSError(status, code: code) }
            defer { jsStreamInfo_Destroy(info) }
            let state = info.pointee.State
            let limit = info.pointee.Config?.pointee.MaxBytes ?? 0
            return Content(
                bytes: Int64(state.Bytes), first: state.FirstSeq, last: state.LastSeq, limit: limit > 0 ? limit : nil)
        }
    }

    /// Overwrites and removes records.
    ///
    /// - Parameters:
    ///   - sequences: of the records; those that do not exist are skipped.
    ///   - connection: the connection.
    /// - Throws: when NATS does not answer.
    public func erase(_ sequences: Range<UInt64>, on connection: NATSConnection) async throws(NATSError) {
        let stream = self
        // Many at a time: the servers sync several in one write.
        let workers = UInt64(32)
        let failures = await withTaskGroup(of: NATSError?.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for sequence in stride(
                        from: sequences.lowerBound + worker, to: sequences.upperBound, by: Int(workers))
                    {
                        do throws(NATSError) {
                            try await stream.erase(sequence, on: connection)
                        } catch {
                            return error
                        }
                    }
                    return nil
                }
            }
            return await group.reduce(into: [NATSError]()) { failures, error in
                if let error { failures.append(error) }
            }
        }
        if let failure = failures.first { throw failure }
    }

    private func erase(_ sequence: UInt64, on connection: NATSConnection) async throws(NATSError) {
        let stream = self
        do throws(NATSError) {
            try await connection.run { connection throws(NATSError) in
                var options = connection.options
                var code = jsErrCode(rawValue: 0)
                let status = js_EraseMsg(connection.jetStream, stream.name, sequence, &options, &code)
                guard status == NATS_OK else { throw NATSError(status, code: code) }
            }
        } catch {
            switch error {
            case .notFound, .refused(JetStreamCode.noMessageToDelete, _): return
            case .conflict, .invalidSettings, .otherSettings, .refused, .unavailable, .unfit: throw error
            }
        }
    }

    /// Removes the oldest records. The newest record of a log has to stay, since the next one is appended behind it.
    ///
    /// - Parameters:
    ///   - sequence: the first sequence that stays; one that exists.
    ///   - connection: the connection.
    /// - Throws: when NATS does not answer or refuses.
    public func trim(before sequence: UInt64, on connection: NATSConnection) async throws(NATSError) {
        let stream = self
        try await connection.run { connection throws(NATSError) in
            var options = connection.options
            options.Wait = max(options.Wait, 10_000)
            options.Stream.Purge.Sequence = sequence
            var code = jsErrCode(rawValue: 0)
            let status = js_PurgeStream(connection.jetStream, stream.name, &options, &code)
            guard status == NATS_OK else { throw NATSError(status, code: code) }
        }
    }
}
