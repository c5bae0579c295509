import FencepostModel
import FencepostMonitor

/// What the engine knows of its devices, each at a place where it is worked on without being moved.
struct DeviceTable {
    struct Device {
        var buffer: ReorderBuffer
        var monitor: DeviceMonitor
        /// Whether its fixes come while they happen, so that the clock's time is its time.
        var isLive = false
    }

    private var index: [DeviceID: Int] = [:]
    /// In no order that means anything; a device's place changes when another one is removed.
    var list: [Device] = []

    var count: Int { list.count }

    func place(of id: DeviceID) -> Int? { index[id] }

    /// - Precondition: the device is not there.
    mutating func add(_ device: Device) -> Int {
        index[device.monitor.deviceID] = list.count
        list.append(device)
        return list.count - 1
    }

    /// Puts a device where it was, or adds it.
    mutating func set(_ device: Device) {
        if let place = index[device.monitor.deviceID] { list[place] = device } else { _ = add(device) }
    }

    mutating func remove(_ id: DeviceID) -> Bool {
        guard let place = index.removeValue(forKey: id) else { return false }
        list.swapAt(place, list.count - 1)
        list.removeLast()
        if place < list.count { index[list[place].monitor.deviceID] = place }
        return true
    }

    /// The places of devices by the bytes of their ids, so that what is told of several has one order.
    func places(where isWanted: (borrowing Device) -> Bool) -> [Int] {
        var places: [Int] = []
        for place in list.indices where isWanted(list[place]) { places.append(place) }
        return places.sorted { list[$0].monitor.deviceID.rawValue < list[$1].monitor.deviceID.rawValue }
    }
}
