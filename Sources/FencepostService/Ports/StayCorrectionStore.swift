public import FencepostModel

/// Stores what users state about the stays of devices.
public protocol StayCorrectionStore: Sendable {
    /// The corrections of a device, in the order of time. They do not overlap.
    func stayCorrections(of device: DeviceID) async throws -> [StayCorrection]
    /// Stores a correction and cuts those that it overlaps.
    ///
    /// - Returns: whether it is stored; not if the device has `StayCorrection.most` already.
    func add(_ correction: StayCorrection) async throws -> Bool
    /// Removes a correction; what it has cut stays cut.
    ///
    /// - Returns: whether it was there.
    func removeStayCorrection(id: String, of device: DeviceID) async throws -> Bool
}
