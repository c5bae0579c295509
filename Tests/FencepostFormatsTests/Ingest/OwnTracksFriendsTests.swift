import FencepostCrypto
import FencepostFormats
import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@Suite("Answers to OwnTracks") struct OwnTracksFriendsTests {
    private func location(_ device: String, extra: (inout Location) -> Void = { _ in }) -> Location {
        var location = Location(
            deviceID: DeviceID(device), timestamp: Timestamp(milliseconds: 1_772_353_800_900),
            coordinate: .init(latitude: 48.85833, longitude: 2.29513))
        extra(&location)
        return location
    }

    private func encode(_ friends: [OwnTracksFriend]) -> String {
        String(decoding: OwnTracksAnswer.encode(friends, key: nil), as: UTF8.self)
    }

    @Test("have a card and the last location of each friend, by id") func golden() {
        let jane = OwnTracksFriend(
            deviceID: DeviceID("jane/phone"), name: "Jane Doe", face: [0xFF, 0xD8, 0xFF],
            location: location("jane/phone") {
                $0.horizontalAccuracy = 11.6
                $0.speed = 10
                $0.course = 269.5
                $0.altitude = -3.2
                $0.batteryLevel = 0.42
            })
        var bob = OwnTracksFriend(deviceID: DeviceID("bob"), location: location("bob"))
        bob.hasCard = false
        let unknown = OwnTracksFriend(deviceID: DeviceID("new"), name: "New")
        // The digits are those of `printf %s jane/phone | sha256sum` and of the same for bob.
        #expect(
            encode([jane, unknown, bob])
                == #"[{"_type":"location","tid":"BO81b637d8","topic":"owntracks/bob","tst":1772353800,"lat":48.85833,"#
                + #""lon":2.29513},"#
                + #"{"_type":"card","name":"Jane Doe","face":"/9j/","tid":"JPc5a5e931"},"#
                + #"{"_type":"location","tid":"JPc5a5e931","topic":"owntracks/jane/phone","tst":1772353800,"#
                + #""lat":48.85833,"lon":2.29513,"acc":12,"alt":-3,"vel":36,"cog":270,"batt":42}]"#)
        #expect(encode([unknown]) == "[]")
    }

    @Test("distinguish friends by texts that begin with two letters and have no slash") func trackerIDs() {
        let names = ["jane/phone", "john/phone", "jp", "j", "ß/ü", "日本", "-", "a b c"]
        let ids = names.map { OwnTracksFriend(deviceID: DeviceID($0)).trackerID }
        #expect(Set(ids).count == names.count)
        #expect(ids.map { $0.dropLast(8) } == ["JP", "JP", "JP", "J", "SSÜ", "日本", "?", "AB"])
        #expect(ids.allSatisfy { !$0.contains("/") })
    }

    @Test("have a command that sets and removes waypoints by their numbers") func waypoints() {
        let circle = Circle(center: Coordinate(latitude: 48.5, longitude: 2.25), radius: 150)
        let waypoints = [
            OwnTracksWaypoint(number: 7), OwnTracksWaypoint(number: 2, name: "+ Home: back", circle: circle),
        ]
        let answer = OwnTracksAnswer.encode([], waypoints: waypoints, key: nil)
        #expect(
            String(decoding: answer, as: UTF8.self)
                == #"[{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":["#
                + #"{"_type":"waypoint","desc":"Fencepost 7","tst":7,"rid":"fencepost7","lat":-1000,"lon":-1000,"rad":0},"#
                + #"{"_type":"waypoint","desc":"Home  back (Fencepost 2)","tst":2,"rid":"fencepost2","lat":48.5,"#
                + #""lon":2.25,"rad":150}]}}]"#)
    }

    @Test("to a phone that encrypts are one element that contains the others") func encrypted() throws {
        let friend = OwnTracksFriend(deviceID: DeviceID("bob"), location: location("bob"))
        let key = Array("secret".utf8)
        let answer = OwnTracksAnswer.encode([friend], key: key)
        let array = try #require(try JSONSerialization.jsonObject(with: Data(answer)) as? [[String: String]])
        #expect(array.count == 1 && array[0]["_type"] == "encrypted")
        let sealed = try #require(Data(base64Encoded: array[0]["data"] ?? ""))
        let message = try #require(SecretBox.open(Array(sealed), key: key))
        #expect(message == OwnTracksAnswer.encode([friend], key: nil))
        #expect(OwnTracksAnswer.encode([], key: key) == Array("[]".utf8))
    }
}
