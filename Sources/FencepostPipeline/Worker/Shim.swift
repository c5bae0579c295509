// Stands in until AppRoster keeps the state of each device itself; whoever gives it these functions removes this file.
import FencepostModel
import FencepostSimulator

extension AppRoster {
    struct DeviceState: Codable {}
    init(_ apps: [WatchedApp]) { self.init(apps.map(\.app)) }
    func state(of id: DeviceID) -> DeviceState? { nil }
    mutating func restore(_ state: DeviceState, for id: DeviceID) {}
    mutating func forget(_ id: DeviceID) {}
    mutating func replace(_ apps: [WatchedApp]) {}
    mutating func take(_ step: Step, app: String) {}
    var deviceIDs: [DeviceID] { [] }
}
extension WatchedApp {
    init(stored: StoredApp) throws { throw MonitorStateError.unreadableApp(stored.id) }
}
