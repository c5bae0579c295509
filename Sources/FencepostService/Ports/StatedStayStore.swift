public import FencepostModel

/// Stores what users state about the stays of devices.
public protocol StatedStayStore: Sendable {
    /// The statements of a device, in the order of time. They do not overlap.
    func statedStays(of device: DeviceID) async throws -> [StatedStay]
    /// Stores a statement and cuts those that it overlaps.
    ///
    /// - Returns: whether it is stored; not if the device has `StatedStay.most` already.
    func add(_ statement: StatedStay) async throws -> Bool
    /// Removes a statement; what it has cut stays cut.
    ///
    /// - Returns: whether it was there.
    func removeStatedStay(id: String, of device: DeviceID) async throws -> Bool
}
