internal import FencepostModel
internal import Synchronization

/// Reads bodies of lines as `NativeIngest.decode(ndjson:rules:limit:)` does, and remembers from one to the next how the
/// senders write their lines and what the devices are called: few bodies have to be learnt from anew.
///
/// What is read does not depend on what is remembered.
public final class LineIngest: Sendable {
    private final class Reader: Sendable {
        let decoder = Mutex(LineDecoder(FixRules(), names: DeviceNames(capacity: .max)))
    }

    /// How many names a reader keeps: as many as lie in a fast cache. From a slower one a name comes no sooner than it is
    /// made anew.
    private static let names = 1000

    private let readers: [Reader]

    /// - Parameter readers: how many bodies may be read at a time from what is remembered; more are read without.
    public init(readers: Int = 8) {
        self.readers = (0..<readers).map { _ in Reader() }
    }

    /// - Throws: as `NativeIngest.decode(ndjson:rules:limit:)`.
    public func decode(
        _ body: [UInt8], rules: FixRules, limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        for reader in readers {
            let result = reader.decoder.withLockIfAvailable { decoder in
                decoder.rules = rules
                if decoder.names.devices.count > Self.names { decoder.names.removeAll() }
                return body.withUnsafeBufferPointer { NativeIngest.lines(of: $0, with: &decoder, limit: limit) }
            }
            if let result { return try result.get() }
        }
        return try NativeIngest.decode(ndjson: body, rules: rules, limit: limit)
    }
}
