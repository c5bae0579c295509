import FencepostGeometry
public import FencepostModel

/// The latest fixes of all devices, to recognise duplicates.
///
/// A fix newer than all others of its device cannot be a duplicate, and nearly every fix is newer. So the fixes are only
/// appended to an array, as fingerprints of eight bytes. The first lookup builds hash sets, and from then on both are kept
/// up to date. Two generations are kept; a full one replaces the one before.
public struct FixMemory: Sendable {
    /// The number of fixes that are remembered at least, unless another one is given.
    public static let defaultCapacity = 1 << 19

    private let capacity: Int
    private var current = Generation()
    private var previous = Generation()
    /// Whether the sets are built.
    private var hasSets = false

    /// Fixes in the order of arrival.
    private struct Generation: Sendable {
        var fingerprints: [UInt64] = []
        /// The same as a set, once `hasSets`.
        var set: Set<UInt64> = []
    }

    /// - Parameter capacity: the number of fixes that are remembered at least; at least 1.
    public init(capacity: Int = FixMemory.defaultCapacity) {
        precondition(capacity >= 1)
        self.capacity = capacity
    }

    /// Remembers a fix of the device with this fingerprint; the oldest fixes are forgotten beyond the capacity.
    package mutating func insert(_ location: Location, of device: UInt64) {
        let fingerprint = Self.fingerprint(location, device)
        if current.fingerprints.count == capacity {
            swap(&current, &previous)
            current.fingerprints.removeAll(keepingCapacity: true)
            current.set.removeAll(keepingCapacity: true)
        }
        current.fingerprints.append(fingerprint)
        if hasSets { current.set.insert(fingerprint) }
    }

    /// Whether a fix of the same device, time and coordinates is remembered.
    ///
    /// `device` is the fingerprint of the device.
    public mutating func contains(_ location: Location, of device: UInt64) -> Bool {
        if !hasSets {
            hasSets = true
            current.set = Set(current.fingerprints)
            previous.set = Set(previous.fingerprints)
        }
        let fingerprint = Self.fingerprint(location, device)
        return current.set.contains(fingerprint) || previous.set.contains(fingerprint)
    }

    private static func fingerprint(_ location: Location, _ device: UInt64) -> UInt64 {
        var hash = SplitMix64.mix(device ^ UInt64(bitPattern: location.timestamp.milliseconds))
        hash = SplitMix64.mix(hash ^ location.coordinate.latitude.bitPattern)
        return SplitMix64.mix(hash ^ location.coordinate.longitude.bitPattern)
    }
}
