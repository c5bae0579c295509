public import FencepostModel

/// How people see a device: by its name, its colour and its picture.
public struct DeviceProfile: Hashable, Sendable {
    /// The device, which need not have sent anything yet.
    public var deviceID: DeviceID
    /// At most `largestName` characters; `nil` for the id.
    public var name: String?
    /// `#` and six hexadecimal digits, lowercase; `nil` for the colour of all devices.
    public var color: String?
    /// Whether the device has a picture, which is stored apart.
    public var hasFace: Bool

    /// The most characters of a name.
    public static let largestName = 64

    /// A profile.
    public init(deviceID: DeviceID, name: String? = nil, color: String? = nil, hasFace: Bool = false) {
        (self.deviceID, self.name, self.color, self.hasFace) = (deviceID, name, color, hasFace)
    }
}

/// A small picture of the person or the vehicle of a device.
public struct Face: Hashable, Sendable {
    /// A format of images that the OwnTracks apps read.
    public enum Format: String, Sendable, CaseIterable {
        /// The media types.
        case png = "image/png"
        case jpeg = "image/jpeg"
    }

    /// The file, of 1 to `largest` bytes.
    public let bytes: [UInt8]
    /// What kind of file it is.
    public let format: Format

    /// The most bytes: each answer to a phone with friends can contain one for each of them.
    public static let largest = 65_536

    /// An image, whose format is known by its first bytes; `nil` for other files, and for empty or too large ones.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return nil }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            format = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            format = .jpeg
        } else {
            return nil
        }
        self.bytes = bytes
    }
}

/// Stores the names, the colours and the pictures of devices.
public protocol ProfileStore: Sendable {
    /// All profiles, sorted by the bytes of the id.
    func profiles() async throws -> [DeviceProfile]
    /// Stores a name and a colour in place of the former ones, and leaves the picture.
    func save(_ profile: DeviceProfile) async throws
    /// The picture of a device; `nil` for none.
    func face(of device: DeviceID) async throws -> Face?
    /// Stores a picture in place of the former one; `nil` removes it.
    func save(_ face: Face?, of device: DeviceID) async throws
}
