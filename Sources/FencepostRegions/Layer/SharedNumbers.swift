import CPrefetch
import Synchronization

/// Numbers that depend on an index only, computed on first use by any thread and kept for all.
///
/// Two threads may compute the same number at the same time; the result is the same.
final class SharedNumbers: Sendable {
    /// The bits of each number; those of a NaN before its first use. It is never reallocated.
    nonisolated(unsafe) private let cells: UnsafeMutablePointer<Atomic<UInt64>>  // because access is atomic
    let count: Int

    private static let unknown = Double.nan.bitPattern

    init(count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(Self.unknown)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    /// Asks the processor to load a number that is needed soon.
    @inline(__always)
    func prefetch(_ index: Int) { fencepost_prefetch(cells + index) }

    /// - Parameters:
    ///   - index: from 0, below `count`.
    ///   - compute: returns the number, which is not NaN.
    /// - Returns: the number.
    @inline(__always)
    func number(at index: Int, compute: () -> Double) -> Double {
        precondition(index >= 0 && index < count)
        let known = cells[index].load(ordering: .relaxed)
        if known != Self.unknown { return Double(bitPattern: known) }
        let number = compute()
        cells[index].store(number.bitPattern, ordering: .relaxed)
        return number
    }
}
