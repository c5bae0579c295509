import FencepostCrypto
public import FencepostGeometry
package import FencepostJSON
public import FencepostModel
internal import Foundation

/// A person whom the OwnTracks apps show on their map, from the answer to a location (rule I16).
public struct OwnTracksFriend: Sendable {
    /// The friend's device.
    public var deviceID: DeviceID
    /// What people call the device; `nil` for its id.
    public var name: String?
    /// A PNG or JPEG image; `nil` for none.
    public var face: [UInt8]?
    /// Whether the answer has the card with the name and the image, or only the location.
    public var hasCard = true
    /// Where the device was last; without it the app shows nothing.
    public var location: Location?

    /// A friend.
    public init(deviceID: DeviceID, name: String? = nil, face: [UInt8]? = nil, location: Location? = nil) {
        (self.deviceID, self.name, self.face, self.location) = (deviceID, name, face, location)
    }

    /// The text by which the apps distinguish friends, and connect cards with locations.
    ///
    /// Both apps know a friend by the whole text, and the Android app shows its first two characters. So two initials
    /// come first, and then digits that only this device has. A name has no part in it, because a new name would be another
    /// friend.
    public var trackerID: String {
        let words = deviceID.rawValue.split { !$0.isLetter && !$0.isNumber }
        let first = words.first ?? "?"
        let initials = words.count > 1 ? String(first.prefix(1)) + words[1].prefix(1) : String(first.prefix(2))
        return initials.uppercased() + Self.hexadecimal(SHA256.hash(Array(deviceID.rawValue.utf8)).prefix(4))
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count < 2 ? "0" + text : text
        }.joined()
    }
}

/// A region for the OwnTracks apps to monitor, which they call a waypoint (rule I18).
///
/// The Android app knows a waypoint by its `tst`, the iOS app by its `rid`, and the system of iOS by its name. Those of
/// Fencepost have a number in all three, and a `tst` of the year 1970, which no waypoint made on a phone has.
public struct OwnTracksWaypoint: Hashable, Sendable {
    /// The most waypoints of one phone.
    public static let most = 20

    /// From 1 to `most`. A waypoint replaces the one with the same number.
    public var number: Int
    /// What people call it; empty for one to remove.
    public var name: String
    /// Where it is, with a radius of whole metres; `nil` removes the waypoint with this number.
    public var circle: Circle?

    /// A waypoint to set, or one to remove.
    public init(number: Int, name: String = "", circle: Circle? = nil) {
        (self.number, self.name, self.circle) = (number, name, circle)
    }

    /// The name that the phone shows.
    ///
    /// The iOS app reads what follows a colon as the id of a beacon, and lets a region follow the phone whose name begins
    /// with a plus sign.
    var label: String {
        let plain = name.replacing(":", with: " ").drop { $0 == "+" || $0 == " " }
        return plain.isEmpty ? "Fencepost \(number)" : "\(plain) (Fencepost \(number))"
    }
}

/// Encodes the answer to a location of an OwnTracks app.
public enum OwnTracksAnswer {
    /// The answer: a card and a location for each friend who has one, and a command that changes waypoints.
    ///
    /// - Parameters:
    ///   - friends: in any order.
    ///   - waypoints: to set and to remove; empty for no command.
    ///   - key: the key of the app's encrypted payloads, 1 to 32 bytes. The answer is then one element that contains the
    ///     array, which is the form that the Android app decrypts; an empty one is not encrypted.
    /// - Returns: a JSON array.
    public static func encode(
        _ friends: [OwnTracksFriend], waypoints: [OwnTracksWaypoint] = [], key: [UInt8]?
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for friend in friends.sorted(by: { $0.deviceID.rawValue < $1.deviceID.rawValue }) {
            guard let location = friend.location else { continue }
            if friend.hasCard { writer.card(of: friend) }
            writer.location(location, of: friend)
        }
        if !waypoints.isEmpty { writer.command(setting: waypoints) }
        writer.endArray()
        guard let key, writer.count > 2 else { return writer.bytes }
        var outer = JSONWriter()
        outer.beginArray()
        outer.beginObject()
        outer.field("_type", "encrypted")
        outer.field("data", Data(SecretBox.seal(writer.bytes, key: key)).base64EncodedString())
        outer.endObject()
        outer.endArray()
        return outer.bytes
    }
}

extension JSONWriter {
    /// A card, which names and pictures the device. https://owntracks.org/booklet/features/card/
    ///
    /// - Parameters:
    ///   - friend: the device, its name and its image.
    ///   - trackerID: in place of the friend's own.
    ///   - publisher: a mark by which Fencepost knows its own messages, on a broker that it also reads.
    package mutating func card(of friend: OwnTracksFriend, trackerID: String? = nil, publisher: String? = nil) {
        beginObject()
        field("_type", "card")
        field("name", friend.name ?? friend.deviceID.rawValue)
        if let face = friend.face { field("face", Data(face).base64EncodedString()) }
        field("tid", trackerID ?? friend.trackerID)
        if let publisher { field("_publisher", publisher) }
        endObject()
    }

    /// A command that sets and removes waypoints. https://owntracks.org/booklet/tech/json/
    fileprivate mutating func command(setting waypoints: [OwnTracksWaypoint]) {
        beginObject()
        field("_type", "cmd")
        field("action", "setWaypoints")
        name("waypoints")
        beginObject()
        field("_type", "waypoints")
        name("waypoints")
        beginArray()
        for waypoint in waypoints {
            beginObject()
            field("_type", "waypoint")
            field("desc", waypoint.label)
            field("tst", waypoint.number)
            field("rid", "fencepost\(waypoint.number)")
            // Both apps remove a waypoint whose position does not exist.
            field("lat", waypoint.circle?.center.latitude ?? -1000)
            field("lon", waypoint.circle?.center.longitude ?? -1000)
            field("rad", Int(clamped: waypoint.circle?.radius.rounded(.up) ?? 0))
            endObject()
        }
        endArray()
        endObject()
        endObject()
    }

    /// A location, with speeds in km/h. https://owntracks.org/booklet/tech/json/
    fileprivate mutating func location(_ location: Location, of friend: OwnTracksFriend) {
        func whole(_ name: StaticString, _ value: Double?) {
            if let value { field(name, Int(clamped: value.rounded())) }
        }
        beginObject()
        field("_type", "location")
        field("tid", friend.trackerID)
        field("topic", "owntracks/\(friend.deviceID.rawValue)")
        field("tst", Int(location.timestamp.milliseconds / 1000))
        field("lat", location.coordinate.latitude)
        field("lon", location.coordinate.longitude)
        whole("acc", location.horizontalAccuracy)
        whole("alt", location.altitude)
        whole("vel", location.speed.map { $0 * 3.6 })
        whole("cog", location.course)
        whole("batt", location.batteryLevel.map { $0 * 100 })
        endObject()
    }
}
