import FencepostModel
import Synchronization

/// Where every device is, for whoever asks: what is shown here is durable.
final class DeviceBoard: Sendable {
    private struct State {
        var devices: [DeviceID: DeviceStatus] = [:]
        /// The ids by bytes, made when they are asked for.
        var sorted: [DeviceID]?
        var version: Int64 = 0
    }

    private let state = Mutex(State())

    func replaceAll(_ devices: [DeviceStatus]) {
        state.withLock { state in
            state.version += 1
            state.devices = [:]
            for var status in devices {
                status.version = state.version
                state.devices[status.deviceID] = status
            }
            state.sorted = nil
        }
    }

    /// Takes what the monitor knows now; a live position that is newer stays.
    func update(_ statuses: [DeviceStatus], live: [Location]) {
        state.withLock { state in
            state.version += 1
            for var status in statuses {
                if let known = state.devices[status.deviceID] {
                    status.lastLocation = Self.newer(known.lastLocation, status.lastLocation)
                } else {
                    state.sorted = nil
                }
                status.version = state.version
                state.devices[status.deviceID] = status
            }
            for location in live {
                var status = state.devices[location.deviceID] ?? DeviceStatus(deviceID: location.deviceID)
                if state.devices[location.deviceID] == nil { state.sorted = nil }
                status.lastLocation = Self.newer(status.lastLocation, location)
                status.version = state.version
                state.devices[location.deviceID] = status
            }
        }
    }

    func remove(_ id: DeviceID) {
        state.withLock { state in
            state.devices[id] = nil
            state.sorted = nil
        }
    }

    func status(of id: DeviceID) -> DeviceStatus? { state.withLock { $0.devices[id] } }

    func statuses(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus] {
        state.withLock { state in
            let sorted = state.sorted ?? state.devices.keys.sorted(by: Self.precedes)
            state.sorted = sorted
            var place = 0
            if let id {
                var (low, high) = (0, sorted.count)
                while low < high {
                    let middle = (low + high) / 2
                    if Self.precedes(id, sorted[middle]) { high = middle } else { low = middle + 1 }
                }
                place = low
            }
            var found: [DeviceStatus] = []
            while place < sorted.count, found.count < limit {
                if let status = state.devices[sorted[place]], region.map(status.regions.contains) ?? true {
                    found.append(status)
                }
                place += 1
            }
            return found
        }
    }

    private static func precedes(_ a: DeviceID, _ b: DeviceID) -> Bool {
        a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
    }

    private static func newer(_ a: Location?, _ b: Location?) -> Location? {
        guard let a, let b else { return a ?? b }
        return b.timestamp >= a.timestamp ? b : a
    }
}
