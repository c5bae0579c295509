public import FencepostModel

/// How people see a device: by its name, and in its colour.
public struct DeviceProfile: Hashable, Sendable {
    /// The device, which need not have sent anything yet.
    public var deviceID: DeviceID
    /// At most `largestName` characters; `nil` for the id.
    public var name: String?
    /// `#` and six hexadecimal digits, lowercase; `nil` for the colour of all devices.
    public var color: String?

    /// The most characters of a name.
    public static let largestName = 64

    /// A profile.
    public init(deviceID: DeviceID, name: String? = nil, color: String? = nil) {
        (self.deviceID, self.name, self.color) = (deviceID, name, color)
    }
}

/// Stores the names and colours of devices.
public protocol ProfileStore: Sendable {
    /// All profiles, sorted by the bytes of the id.
    func profiles() async throws -> [DeviceProfile]
    /// Stores a profile in place of the former one; one without name and colour removes it.
    func save(_ profile: DeviceProfile) async throws
}
