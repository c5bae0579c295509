import FencepostEngine
import FencepostModel
import Synchronization

/// What is to be shown after a turn, by the engine's places.
struct BoardNews: Sendable {
    struct Status: Sendable {
        var place: Int
        var status: DeviceStatus
    }

    /// A fix that shows where a device is, of which nothing else has changed.
    struct Sighting: Sendable {
        var place: Int32
        /// In the commit.
        var fix: Int32
    }

    var statuses: [Status] = []
    var sightings: [Sighting] = []
    var live: [Location] = []
}

/// Where every device is, for whoever asks: what is shown here is durable.
final class DeviceBoard: Sendable {
    private struct State {
        private var places: [DeviceID: Int] = [:]
        private(set) var list: [DeviceStatus] = []
        /// Where the devices of the engine stand here, by the engine's places; -1 for one that was not shown yet.
        private var byEngine: [Int32] = []
        /// Places in the order of the ids' bytes, made when they are asked for.
        private var sorted: [Int]?
        private(set) var version: Int64 = 0

        /// Forgets all; versions go on, so that whatever is set next is newer than what anybody has seen.
        mutating func removeAll() {
            (places, list, byEngine, sorted) = ([:], [], [], nil)
            version += 1
        }

        mutating func begin() { version += 1 }

        /// The place of a device, which is added where it is not known.
        private mutating func place(of id: DeviceID) -> Int {
            if let place = places[id] { return place }
            places[id] = list.count
            list.append(DeviceStatus(deviceID: id))
            sorted = nil
            return list.count - 1
        }

        /// The place of the engine's device, which goes by this name.
        private mutating func place(of engine: Int, _ id: @autoclosure () -> DeviceID) -> Int {
            while byEngine.count <= engine { byEngine.append(-1) }
            if byEngine[engine] < 0 { byEngine[engine] = Int32(place(of: id())) }
            return Int(byEngine[engine])
        }

        func status(of id: DeviceID) -> DeviceStatus? { places[id].map { list[$0] } }

        /// Takes what the monitor knows now; a live position that is newer stays.
        mutating func set(_ status: DeviceStatus, at engine: Int) {
            let place = place(of: engine, status.deviceID)
            let known = list[place].lastLocation
            list[place] = status
            list[place].version = version
            if let known, let location = status.lastLocation, known.timestamp > location.timestamp {
                list[place].lastLocation = known
            }
        }

        mutating func set(_ location: Location, at engine: Int) {
            set(location, place: place(of: engine, location.deviceID))
        }

        mutating func set(live location: Location) { set(location, place: place(of: location.deviceID)) }

        private mutating func set(_ location: Location, place: Int) {
            list.withUnsafeMutableBufferPointer { list in
                if let known = list[place].lastLocation?.timestamp, known > location.timestamp { return }
                list[place].lastLocation = location
                list[place].version = version
            }
        }

        /// - Parameters:
        ///   - engine: the place that the engine's device had, `nil` where the engine did not know it.
        ///   - count: how many devices the engine has now; the last one got the place.
        mutating func remove(_ id: DeviceID, at engine: Int?, count: Int) {
            if let engine {
                while byEngine.count <= count { byEngine.append(-1) }
                byEngine.swapAt(engine, count)
                byEngine.removeLast(byEngine.count - count)
            }
            guard let place = places.removeValue(forKey: id) else { return }
            let last = list.count - 1
            list.swapAt(place, last)
            list.removeLast()
            if place < list.count { places[list[place].deviceID] = place }
            for index in byEngine.indices where byEngine[index] == last { byEngine[index] = Int32(place) }
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

    /// - Parameter devices: in the order of the engine's places.
    func replaceAll(_ devices: [DeviceStatus], live: [Location]) {
        state.withLock { state in
            state.removeAll()
            for (place, status) in devices.enumerated() { state.set(status, at: place) }
            for location in live { state.set(live: location) }
        }
    }

    /// - Parameter fixes: of the commit.
    func update(_ news: BoardNews, _ fixes: [StoredLocation]) {
        state.withLock { state in
            state.begin()
            for item in news.statuses { state.set(item.status, at: item.place) }
            for sighting in news.sightings {
                state.set(fixes[Int(sighting.fix)].location, at: Int(sighting.place))
            }
            for location in news.live { state.set(live: location) }
        }
    }

    /// As `State.remove`.
    func remove(_ id: DeviceID, at engine: Int?, count: Int) {
        state.withLock { $0.remove(id, at: engine, count: count) }
    }

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
