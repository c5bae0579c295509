import CSimulatedDisk

/// Failing allocations of SQLite.
package enum MemoryFault {
    /// Lets one allocation of SQLite in this process fail, and with `isLasting` all later ones.
    ///
    /// `number`: counted from 1 and from now; `nil` for none.
    package static func set(number: Int?, isLasting: Bool = false) {
        fencepost_memory_fail(Int64(number ?? 0), isLasting ? 1 : 0)
    }

    /// Allocations since `set`.
    package static var count: Int { Int(fencepost_memory_count()) }
}
