/// An error of a port that stores something, as a caller sees it that does not know the implementation.
public protocol StoreFailure: Error {
    /// Whether the cause lies outside the service and can pass: a full disk, a lock, a file that was moved.
    var isTemporary: Bool { get }
    /// Whether the store was closed, because its service ends.
    var isClosed: Bool { get }
}
