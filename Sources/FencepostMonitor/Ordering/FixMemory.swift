import FencepostGeometry
public import FencepostModel

/// The last fixes of all devices, to recognise one that comes again.
///
/// A fix that is newer than all before of its device was not there, and nearly every fix is: so the fixes are only
/// written down, eight bytes each, and sorted for looking up when the first one comes that may be a repeated one.
public struct FixMemory: Sendable {
    /// How many fixes back one is recognised, at least.
    public static let usual = 1 << 19

    private let capacity: Int
    private var now = Generation()
    private var before = Generation()
    /// Whether anything was looked up.
    private var isSorted = false

    /// The fixes of some time in the order in which they came.
    private struct Generation: Sendable {
        var fixes: [UInt64] = []
        var known: Set<UInt64> = []
    }

    /// - Parameter capacity: at least 1.
    public init(capacity: Int = FixMemory.usual) {
        precondition(capacity >= 1)
        self.capacity = capacity
    }

    /// - Parameter device: what tells the device from others.
    mutating func note(_ location: Location, of device: UInt64) {
        let fix = Self.fingerprint(location, device)
        if now.fixes.count == capacity {
            swap(&now, &before)
            now.fixes.removeAll(keepingCapacity: true)
            now.known.removeAll(keepingCapacity: true)
        }
        now.fixes.append(fix)
        if isSorted { now.known.insert(fix) }
    }

    /// Whether the fix is one of the last.
    public mutating func contains(_ location: Location, of device: UInt64) -> Bool {
        if !isSorted {
            isSorted = true
            now.known = Set(now.fixes)
            before.known = Set(before.fixes)
        }
        let fix = Self.fingerprint(location, device)
        return now.known.contains(fix) || before.known.contains(fix)
    }

    private static func fingerprint(_ location: Location, _ device: UInt64) -> UInt64 {
        var hash = mix(device ^ UInt64(bitPattern: location.timestamp.milliseconds))
        hash = mix(hash ^ location.coordinate.latitude.bitPattern)
        return mix(hash ^ location.coordinate.longitude.bitPattern)
    }

    /// The finaliser of SplitMix64: every bit of the word bears on every bit of the hash.
    private static func mix(_ word: UInt64) -> UInt64 {
        var hash = word &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
