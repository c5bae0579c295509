internal import FencepostJSON

/// What a NATS server does with what it has to store, as its monitoring says.
public enum ServerStorage: Hashable, Sendable {
    /// It syncs every write.
    case synced
    /// It syncs now and then, so that a power cut may lose what it has acknowledged.
    case unsynced
    /// It stores nothing. A server whose disk was full has turned JetStream off until it is started again.
    case off

    /// Reads the answer to `/jsz?config=1`; fails for another one.
    ///
    /// - Parameter bytes: the body.
    public init?(monitoring bytes: [UInt8]) {
        guard let root = (try? JSONDocument(parsing: bytes))?.root, root["config"] != nil else { return nil }
        if root["disabled"]?.bool == true {
            self = .off
        } else {
            self = root["config"]?["sync_always"]?.bool == true ? .synced : .unsynced
        }
    }
}
