import Synchronization

/// Lets a server know that tokens, users, sessions or groups have changed in its store without it.
public final class AccessChanges: Sendable {
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// Creates one that nothing observes.
    public init() {}

    /// Calls a closure at every change.
    func observe(_ observer: @escaping @Sendable () -> Void) { observers.withLock { $0.append(observer) } }

    /// Returns when the server knows the change.
    public func raise() {
        for observer in observers.withLock({ $0 }) { observer() }
    }
}
