import FencepostModel
import FencepostMonitor

/// What the engine knows of its devices, each at a place where it is worked on without being moved.
struct DeviceTable {
    struct Device {
        var monitor: DeviceMonitor
        /// Whether its fixes come while they happen, so that the clock's time is its time.
        var isLive: Bool
        var buffer: ReorderBuffer
        /// The moment at which the clock's queue has the device; `distantFuture` when it has not.
        var wake = Timestamp.distantFuture

        init(_ monitor: DeviceMonitor, buffer: ReorderBuffer = ReorderBuffer(), isLive: Bool = false) {
            (self.monitor, self.buffer, self.isLive) = (monitor, buffer, isLive)
        }
    }

    /// Open addressing: the place of a device and one, 0 for none, and above it half of the id's fingerprint.
    private var slots = [UInt64](repeating: 0, count: 16)
    /// In no order that means anything; a device's place changes when another one is removed.
    var list: [Device] = []

    var count: Int { list.count }

    @inline(__always)
    func place(of id: DeviceID) -> Int? {
        let hash = id.fingerprint
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash >> 32 {
                let place = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if list[place].monitor.deviceID == id { return place }
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// - Precondition: the device is not there.
    mutating func add(_ device: Device) -> Int {
        list.append(device)
        if list.count * 4 > slots.count * 3 {
            slots = [UInt64](repeating: 0, count: slots.count * 2)
            for place in list.indices { enter(place) }
        } else {
            enter(list.count - 1)
        }
        return list.count - 1
    }

    /// Puts a device where it was, or adds it.
    mutating func set(_ device: Device) -> Int {
        guard let place = place(of: device.monitor.deviceID) else { return add(device) }
        list[place] = device
        return place
    }

    /// - Returns: the place that another device has now; `nil` when the device was not there.
    mutating func remove(_ id: DeviceID) -> Int? {
        guard let place = place(of: id) else { return nil }
        list.swapAt(place, list.count - 1)
        list.removeLast()
        // Rare enough to put all of them in again.
        slots = [UInt64](repeating: 0, count: slots.count)
        for place in list.indices { enter(place) }
        return place
    }

    /// The places of devices by the bytes of their ids, so that what is told of several has one order.
    func places(where isWanted: (borrowing Device) -> Bool) -> [Int] {
        var places: [Int] = []
        for place in list.indices where isWanted(list[place]) { places.append(place) }
        return sorted(places)
    }

    func sorted(_ places: [Int]) -> [Int] {
        places.sorted { list[$0].monitor.deviceID.rawValue < list[$1].monitor.deviceID.rawValue }
    }

    /// What all of it takes, in bytes, the ids apart.
    var byteCount: Int {
        let inline = MemoryLayout<Device>.stride - MemoryLayout<DeviceID>.size
        var bytes = slots.count * MemoryLayout<UInt64>.stride + list.count * inline
        for device in list { bytes += device.monitor.heapByteCount + device.buffer.heapByteCount }
        return bytes
    }

    private mutating func enter(_ place: Int) {
        let hash = list[place].monitor.deviceID.fingerprint
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(place + 1)
    }
}
