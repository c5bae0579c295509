import FencepostEngine
import FencepostModel
import Synchronization

/// The status of every device, as of the last durable commit. Any thread may read it.
final class DeviceStatusCache: Sendable {
    private struct State {
        /// Index in `statuses` by device.
        private var indices: [DeviceID: Int] = [:]
        private(set) var statuses: [DeviceStatus] = []
        /// Index in `statuses` by the engine's index; -1 for a device without a status.
        private var byEngine: [Int32] = []
        /// Indices in the order of the ids' bytes; sorted on demand.
        private var sorted: [Int]?
        private(set) var version: Int64 = 0

        /// Removes all statuses. Versions continue, so that later ones are newer than any that a reader has seen.
        mutating func removeAll() {
            (indices, statuses, byEngine, sorted) = ([:], [], [], nil)
            version += 1
        }

        mutating func beginUpdate() { version += 1 }

        /// The index of a device, which is added when it is not known.
        private mutating func index(of id: DeviceID) -> Int {
            if let index = indices[id] { return index }
            indices[id] = statuses.count
            statuses.append(DeviceStatus(deviceID: id))
            sorted = nil
            return statuses.count - 1
        }

        /// The index of the engine's device. `id` is evaluated only for a device without a status.
        private mutating func index(ofEngine device: Int, _ id: @autoclosure () -> DeviceID) -> Int {
            while byEngine.count <= device { byEngine.append(-1) }
            if byEngine[device] < 0 { byEngine[device] = Int32(index(of: id())) }
            return Int(byEngine[device])
        }

        func status(of id: DeviceID) -> DeviceStatus? { indices[id].map { statuses[$0] } }

        /// Replaces a status, except a live position that is newer.
        mutating func set(_ status: DeviceStatus, ofEngine device: Int) {
            let index = index(ofEngine: device, status.deviceID)
            let known = statuses[index].lastLocation
            statuses[index] = status
            statuses[index].version = version
            if let known, let location = status.lastLocation, known.timestamp > location.timestamp {
                statuses[index].lastLocation = known
            }
        }

        mutating func set(_ location: Location, ofEngine device: Int) {
            set(location, index: index(ofEngine: device, location.deviceID))
        }

        mutating func set(live location: Location) { set(location, index: index(of: location.deviceID)) }

        private mutating func set(_ location: Location, index: Int) {
            statuses.withUnsafeMutableBufferPointer { statuses in
                if let known = statuses[index].lastLocation?.timestamp, known > location.timestamp { return }
                statuses[index].lastLocation = location
                statuses[index].version = version
            }
        }

        /// As `DeviceStatusCache.remove`.
        mutating func remove(_ id: DeviceID, ofEngine device: Int?, count: Int) {
            if let device {
                while byEngine.count <= count { byEngine.append(-1) }
                byEngine.swapAt(device, count)
                byEngine.removeLast(byEngine.count - count)
            }
            guard let index = indices.removeValue(forKey: id) else { return }
            let last = statuses.count - 1
            statuses.swapAt(index, last)
            statuses.removeLast()
            if index < statuses.count { indices[statuses[index].deviceID] = index }
            for slot in byEngine.indices where byEngine[slot] == last { byEngine[slot] = Int32(index) }
            sorted = nil
        }

        /// Up to `limit` matching statuses after an id, in the order of the ids' bytes.
        mutating func statuses(
            after id: DeviceID?, limit: Int, where matches: (DeviceStatus) -> Bool
        ) -> [DeviceStatus] {
            let order = order()
            var position = id.map { id in order.partitioningIndex { id.precedes(statuses[$0].deviceID) } } ?? 0
            var found: [DeviceStatus] = []
            while position < order.count, found.count < limit {
                if matches(statuses[order[position]]) { found.append(statuses[order[position]]) }
                position += 1
            }
            return found
        }

        private mutating func order() -> [Int] {
            if let sorted { return sorted }
            let order = statuses.indices.sorted { statuses[$0].deviceID.precedes(statuses[$1].deviceID) }
            sorted = order
            return order
        }
    }

    private let state = Mutex(State())

    /// Replaces all statuses by those of `devices`, which are in the order of the engine's indices.
    func replaceAll(_ devices: [DeviceStatus], live: [Location]) {
        state.withLock { state in
            state.removeAll()
            for (device, status) in devices.enumerated() { state.set(status, ofEngine: device) }
            for location in live { state.set(live: location) }
        }
    }

    /// Applies the changes of a commit; `fixes` are its fixes, to which position updates refer.
    func update(_ delta: StatusDelta, _ fixes: [StoredLocation]) {
        state.withLock { state in
            state.beginUpdate()
            for update in delta.statuses { state.set(update.status, ofEngine: update.device) }
            for update in delta.positions {
                state.set(fixes[Int(update.fix)].location, ofEngine: Int(update.device))
            }
            for location in delta.livePositions { state.set(live: location) }
        }
    }

    /// Removes a device.
    ///
    /// `device` is the engine's index that it had; `nil` when the engine did not know it. `count` is the number of
    /// devices in the engine after the removal; the last one got the index.
    func remove(_ id: DeviceID, ofEngine device: Int?, count: Int) {
        state.withLock { $0.remove(id, ofEngine: device, count: count) }
    }

    func status(of id: DeviceID) -> DeviceStatus? { state.withLock { $0.status(of: id) } }

    /// As `Monitoring.devices(after:in:limit:)`.
    func statuses(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus] {
        state.withLock { state in
            state.statuses(after: id, limit: limit) { status in region.map(status.regions.contains) ?? true }
        }
    }

    /// As `Monitoring.devices(changedSince:after:limit:)`.
    func statuses(
        changedSince version: Int64, after id: DeviceID?, limit: Int
    ) -> (devices: [DeviceStatus], version: Int64) {
        state.withLock { state in
            (state.statuses(after: id, limit: limit) { $0.version > version }, state.version)
        }
    }
}

extension DeviceID {
    /// Byte order, in which devices are listed.
    fileprivate func precedes(_ other: DeviceID) -> Bool {
        rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}
