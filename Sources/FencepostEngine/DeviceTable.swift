import FencepostModel
import FencepostMonitor

/// The engine's devices: an array that is modified in index, and an open-addressing hash table of indices into it.
struct DeviceTable {
    struct Device {
        var monitor: DeviceMonitor
        /// Whether the device sends its fixes as they happen. Then its deadlines are due by the clock, not by its fixes.
        var isLive: Bool
        var buffer: ReorderBuffer
        /// The moment of the device's entry in the deadline queue; `distantFuture` without one.
        var wake = Timestamp.distantFuture

        init(_ monitor: DeviceMonitor, buffer: ReorderBuffer = ReorderBuffer(), isLive: Bool = false) {
            (self.monitor, self.buffer, self.isLive) = (monitor, buffer, isLive)
        }
    }

    /// Linear probing. The low half of a slot is a device's index plus one, 0 for an empty slot; the high half is the high
    /// half of the id's fingerprint.
    private var slots = [UInt64](repeating: 0, count: 16)
    /// In no particular order. A device's index changes when another device is removed.
    var list: [Device] = []

    var count: Int { list.count }

    @inline(__always)
    func index(of id: DeviceID) -> Int? {
        let hash = id.fingerprint
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash >> 32 {
                let index = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if list[index].monitor.deviceID == id { return index }
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds a device.
    ///
    /// - Precondition: the table has no device with this id.
    /// - Returns: its index.
    mutating func add(_ device: Device) -> Int {
        list.append(device)
        if list.count * 4 > slots.count * 3 {
            slots = [UInt64](repeating: 0, count: slots.count * 2)
            for index in list.indices { insert(index) }
        } else {
            insert(list.count - 1)
        }
        return list.count - 1
    }

    /// Replaces a device, or adds it.
    ///
    /// - Returns: its index.
    mutating func set(_ device: Device) -> Int {
        guard let index = index(of: device.monitor.deviceID) else { return add(device) }
        list[index] = device
        return index
    }

    /// Removes a device. The last device gets its index.
    ///
    /// - Returns: that index; `nil` when the device was not known.
    mutating func remove(_ id: DeviceID) -> Int? {
        guard let index = index(of: id) else { return nil }
        list.swapAt(index, list.count - 1)
        list.removeLast()
        // Removals are rare, so rebuilding the hash table is cheap enough.
        slots = [UInt64](repeating: 0, count: slots.count)
        for index in list.indices { insert(index) }
        return index
    }

    /// The indices of matching devices, sorted by id, so that events of several devices have one order.
    func indices(where matches: (borrowing Device) -> Bool) -> [Int] {
        var indices: [Int] = []
        for index in list.indices where matches(list[index]) { indices.append(index) }
        return sorted(indices)
    }

    func sorted(_ indices: [Int]) -> [Int] {
        indices.sorted { list[$0].monitor.deviceID.rawValue < list[$1].monitor.deviceID.rawValue }
    }

    /// Size of the table in bytes, without the ids.
    var byteCount: Int {
        let inline = MemoryLayout<Device>.stride - MemoryLayout<DeviceID>.size
        var bytes = slots.count * MemoryLayout<UInt64>.stride + list.count * inline
        for device in list { bytes += device.monitor.heapByteCount + device.buffer.heapByteCount }
        return bytes
    }

    private mutating func insert(_ index: Int) {
        let hash = list[index].monitor.deviceID.fingerprint
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(index + 1)
    }
}
