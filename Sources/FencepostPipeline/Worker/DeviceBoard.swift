import FencepostModel
import Synchronization

/// Where every device is, for whoever asks: what is shown here is durable.
final class DeviceBoard: Sendable {
    private struct State {
        private var places: [DeviceID: Int] = [:]
        private(set) var list: [DeviceStatus] = []
        /// Places in the order of the ids' bytes, made when they are asked for.
        private var sorted: [Int]?
        private(set) var version: Int64 = 0

        /// Forgets all; versions go on, so that whatever is set next is newer than what anybody has seen.
        mutating func removeAll() {
            (places, list, sorted) = ([:], [], nil)
            version += 1
        }

        mutating func begin() { version += 1 }

        /// The place of a device, which is added where it is not known.
        mutating func place(of id: DeviceID) -> Int {
            if let place = places[id] { return place }
            places[id] = list.count
            list.append(DeviceStatus(deviceID: id))
            sorted = nil
            return list.count - 1
        }

        func status(of id: DeviceID) -> DeviceStatus? { places[id].map { list[$0] } }

        /// Takes what the monitor knows now; a live position that is newer stays.
        mutating func set(_ status: DeviceStatus) {
            let place = place(of: status.deviceID)
            let known = list[place].lastLocation
            list[place] = status
            list[place].version = version
            if let known, let location = status.lastLocation, known.timestamp > location.timestamp {
                list[place].lastLocation = known
            }
        }

        mutating func set(live location: Location) {
            let place = place(of: location.deviceID)
            if let known = list[place].lastLocation, known.timestamp > location.timestamp { return }
            list[place].lastLocation = location
            list[place].version = version
        }

        mutating func remove(_ id: DeviceID) {
            guard let place = places.removeValue(forKey: id) else { return }
            list.swapAt(place, list.count - 1)
            list.removeLast()
            if place < list.count { places[list[place].deviceID] = place }
            sorted = nil
        }

        /// The first `limit` devices behind an id that are wanted, by the bytes of their ids.
        mutating func found(
            after id: DeviceID?, limit: Int, where isWanted: (DeviceStatus) -> Bool
        ) -> [DeviceStatus] {
            let order = order()
            var place = 0
            if let id {
                var (low, high) = (0, order.count)
                while low < high {
                    let middle = (low + high) / 2
                    if id.precedes(list[order[middle]].deviceID) { high = middle } else { low = middle + 1 }
                }
                place = low
            }
            var found: [DeviceStatus] = []
            while place < order.count, found.count < limit {
                if isWanted(list[order[place]]) { found.append(list[order[place]]) }
                place += 1
            }
            return found
        }

        mutating func order() -> [Int] {
            if let sorted { return sorted }
            let made = list.indices.sorted { list[$0].deviceID.precedes(list[$1].deviceID) }
            sorted = made
            return made
        }
    }

    private let state = Mutex(State())

    func replaceAll(_ devices: [DeviceStatus]) {
        state.withLock { state in
            state.removeAll()
            for status in devices { state.set(status) }
        }
    }

    func update(_ statuses: [DeviceStatus], live: [Location]) {
        state.withLock { state in
            state.begin()
            for status in statuses { state.set(status) }
            for location in live { state.set(live: location) }
        }
    }

    func remove(_ id: DeviceID) { state.withLock { $0.remove(id) } }

    func status(of id: DeviceID) -> DeviceStatus? { state.withLock { $0.status(of: id) } }

    func statuses(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus] {
        state.withLock { state in
            state.found(after: id, limit: limit) { status in region.map(status.regions.contains) ?? true }
        }
    }

    func statuses(
        changedSince version: Int64, after id: DeviceID?, limit: Int
    ) -> (devices: [DeviceStatus], version: Int64) {
        state.withLock { state in
            (state.found(after: id, limit: limit) { $0.version > version }, state.version)
        }
    }
}

extension DeviceID {
    /// By bytes, as devices are listed.
    fileprivate func precedes(_ other: DeviceID) -> Bool {
        rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}
