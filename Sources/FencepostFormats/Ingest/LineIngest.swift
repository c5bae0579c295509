internal import FencepostModel
internal import Synchronization

/// Decodes bodies of lines like `NativeIngest.decode(ndjson:rules:limit:)`, and keeps the learned line shapes and
/// device names between requests, so few bodies have to be learned from.
///
/// The results do not depend on what is cached.
public final class LineIngest: Sendable {
    private final class Reader: Sendable {
        let decoder = Mutex(LineDecoder(FixRules(), names: DeviceNames(capacity: .max)))
    }

    /// The number of names that a reader caches: as many as fit in a fast CPU cache. From a slower one a lookup takes
    /// as long as making the name.
    private static let names = 1000

    private let readers: [Reader]

    /// - Parameter readers: the number of bodies that can be decoded with cached state at the same time; others are
    ///   decoded without it.
    public init(readers: Int = 8) {
        self.readers = (0..<readers).map { _ in Reader() }
    }

    /// - Throws: like `NativeIngest.decode(ndjson:rules:limit:)`.
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
