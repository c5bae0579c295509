import FencepostAnalysis
import FencepostModel
import Foundation
import Testing

@Suite("The files of phones") struct PhoneReadingTests {
    private static let phone = """
        [{"device": "a", "set": "days", "os": "ios", "setting": "any",
          "fixes": [[1772353800.5, 45, 7, 12.5, 1, 90, 300],
            [1772353860, 45.001, 7, null, -1, null, null], [1772353860, 45, 7]],
          "intervals": [
            {"start": 1772353800, "end": 1772354800, "kind": "stay", "mode": "STAY", "leg": "home", "trip": null},
            {"start": 1772354800, "end": 1772355800, "kind": "move", "mode": "LIGHT_RAIL", "leg": "ride", "trip": "t",
             "type": "TRAVEL"},
            {"start": 1772355800, "end": 1772355900, "kind": "move", "mode": "walking", "leg": "whole", "trip": "t",
             "type": "ACCESS"},
            {"start": 1772355900, "end": 1772356000, "kind": "wait", "mode": "STOPPED", "leg": "w", "trip": "t"}]}]
        """
    private static let leg = """
        [{"device": "a.1", "mode": "E_BIKE", "leg": "to town", "length": 1200.5, "os": "ios", "fixes": [[1772353800, 45, 7]]},
         {"device": "a.2", "mode": "airplane", "leg": "home", "length": null, "fixes": [[1772353800, 45, 7]]}]
        """
    private static let places = """
        {"places": [{"id": "p-0", "name": "P", "coordinates":
            [[[0, 0], [0.001, 0], [0.001, 0.001], [0, 0.001], [0, 0]]]}],
         "legs": {"t|ride": {"end_loc": [[0, 9e12, "P", "p-0"]]}}}
        """

    @Test("have the fixes and the truth of a phone")
    func cases() throws {
        let phone = try #require(try PhoneCase.read(Self.phone.utf8, file: "cases.json").first)
        #expect((phone.device, phone.group, phone.system) == (DeviceID("a"), .days, "ios"))
        #expect(phone.fixes.map(\.timestamp.milliseconds) == [1_772_353_800_500, 1_772_353_860_000, 1_772_353_860_000])
        #expect(phone.fixes.map(\.horizontalAccuracy) == [12.5, nil, nil])
        #expect(phone.fixes.map(\.speed) == [1, nil, nil])
        #expect((phone.fixes[0].course, phone.fixes[0].altitude) == (90, 300))
        #expect(phone.intervals.map(\.kind) == [.stay, .move, .move, .wait])
        #expect(phone.intervals.map(\.mode) == [nil, .rail, .walking, nil])
        #expect(phone.intervals.map(\.isTravel) == [true, true, false, true])
        #expect(
            phone.intervals.map(\.leg) == [
                nil, .init(trip: "t", leg: "ride"), .init(trip: "t", leg: "t"), .init(trip: "t", leg: "w"),
            ])
        #expect(phone.known.seconds == 2200)
    }

    @Test("have legs with their modes and lengths")
    func legs() throws {
        let legs = try PhoneLeg.read(Self.leg.utf8, file: "legs.json")
        #expect(legs.map(\.mode) == [.cycling, .air])
        #expect(legs.map(\.loggedMode) == ["E_BIKE", "airplane"])
        #expect(legs.map(\.length) == [1200.5, nil])
    }

    @Test("have places whose regions report no entry of a device that starts inside")
    func regions() throws {
        let regions = try PhonePlaces(reading: Self.places.utf8, file: "places.json").regions
        #expect(regions.map(\.id) == [RegionID("p-0")])
        #expect(regions.map(\.initialState) == [.silent])
    }

    /// A text of a file that is replaced by another one, and how the error has to be.
    struct Fault: CustomTestStringConvertible, Sendable {
        var text, replacement, error: String

        init(_ text: String, _ replacement: String, _ error: String) {
            (self.text, self.replacement, self.error) = (text, replacement, error)
        }

        var testDescription: String { error }
    }

    private func expect(_ fault: Fault, in file: String, _ read: (String) throws -> Void) throws {
        try #require(file.contains(fault.text))
        let broken = file.replacing(fault.text, with: fault.replacement)
        let error = try #require(throws: BenchmarkError.self) { try read(broken) }
        #expect(error.description == fault.error)
    }

    @Test(
        "of cases that are wrong are refused with the case, the device and the member",
        arguments: [
            Fault(#""device": "a", "#, "", #"cases.json: case 0: "device" is missing"#),
            Fault("\"a\"", "7", #"cases.json: case 0: "device" is not a text"#),
            Fault("days", "weeks", #"cases.json: case 0, device a: "set" is not "days" or "still""#),
            Fault(
                "null, null], [", "null, null, 1], [",
                "cases.json: case 0, device a, fixes[1]: it is not an array of 3 to 7 numbers"),
            Fault("45.001", "\"45\"", "cases.json: case 0, device a, fixes[1]: its latitude is not a number"),
            Fault(
                "45.001", "95", "cases.json: case 0, device a, fixes[1]: the latitude 95.0 is not between -90 and 90"),
            Fault(
                "12.5", "-1",
                "cases.json: case 0, device a, fixes[0]: the horizontal accuracy is -1.0, so the coordinate is not valid"
            ),
            Fault(
                "1772353860, 45.001", "1772353800.25, 45.001",
                "cases.json: case 0, device a, fixes[1]: it is before the fix before it"),
            Fault(
                "\"kind\": \"wait\"", "\"kind\": \"rest\"",
                #"cases.json: case 0, device a, intervals[3]: "kind" is not "stay", "move", "wait" or "unknown""#),
            Fault(
                "LIGHT_RAIL", "SLEDGE",
                "cases.json: case 0, device a, intervals[1]: the mode \"SLEDGE\" is not known"),
            Fault(
                "\"end\": 1772355800", "\"end\": 1772355801",
                "cases.json: case 0, device a, intervals[2]: it starts before the end of the one before it"),
            Fault(
                "\"end\": 1772356000", "\"end\": 1772355899",
                #"cases.json: case 0, device a, intervals[3]: "end" is before "start""#),
            Fault(
                "\"start\": 1772355900", "\"start\": true",
                #"cases.json: case 0, device a, intervals[3]: "start" is not a number of seconds since 1970"#),
        ])
    func wrongCases(_ fault: Fault) throws {
        try expect(fault, in: Self.phone) { _ = try PhoneCase.read($0.utf8, file: "cases.json") }
    }

    @Test("that are no JSON are refused with the line")
    func syntax() throws {
        let error = try #require(throws: BenchmarkError.self) {
            try PhoneCase.read(Self.phone.dropLast().utf8, file: "cases.json")
        }
        #expect(error.description.hasPrefix("cases.json: line 10, column "))
    }

    @Test("of two phones with one name are refused")
    func repeated() throws {
        let twice = "[\(Self.phone.dropFirst().dropLast()), \(Self.phone.dropFirst())"
        let error = try #require(throws: BenchmarkError.self) { try PhoneCase.read(twice.utf8, file: "cases.json") }
        #expect(error.description == #"cases.json: case 1, device a: another record has this "device""#)
    }

    @Test(
        "of legs and places that are wrong are refused with the leg or the place, and the member",
        arguments: [
            Fault("1200.5", "0", #"f: leg 0, device a.1: "length" is not above 0"#),
            Fault("E_BIKE", "SLEDGE", #"f: leg 0, device a.1: the mode "SLEDGE" is not known"#),
            Fault("\"leg\": \"home\"", "\"route\": \"home\"", #"f: leg 1, device a.2: "leg" is missing"#),
        ])
    func wrongLegs(_ fault: Fault) throws {
        try expect(fault, in: Self.leg) { _ = try PhoneLeg.read($0.utf8, file: "f") }
    }

    @Test(
        "of places that are wrong are refused with the place or the leg",
        arguments: [
            Fault("\"P\", \"coord", "7, \"coord", #"f, places[0]: "name" is not a text"#),
            Fault("t|ride", "ride", "f: leg ride: its name is not TRIP|LEG"),
            Fault("\"P\", \"p-0\"]", "\"P\", \"q\"]", "f: leg t|ride, end_loc[0]: no place has the id q"),
            Fault("9e12, ", "", "f: leg t|ride, end_loc[0]: it is not [from, until, name, id of the place]"),
        ])
    func wrongPlaces(_ fault: Fault) throws {
        try expect(fault, in: Self.places) { _ = try PhonePlaces(reading: $0.utf8, file: "f") }
    }

    @Test("have the stays of another detector, with open ends, and nothing but the phones")
    func others() throws {
        let cases = try PhoneCase.read(Self.phone.utf8, file: "cases.json")
        func read(_ text: String) throws -> [DeviceID: [PhoneStay]] {
            try PhoneStay.read(text.utf8, file: "s.json", of: cases)
        }
        let stays = try read(#"{"a": [[null, 1772354800.25, 45, 7], [1772355900, null]]}"#)
        #expect(
            stays == [
                DeviceID("a"): [
                    PhoneStay(start: nil, end: Timestamp(milliseconds: 1_772_354_800_250)),
                    PhoneStay(start: Timestamp(seconds: 1_772_355_900), end: nil),
                ]
            ])
        for (text, message) in [
            (#"{"b": []}"#, "s.json: device b: no case has this device"),
            (
                #"{"a": [[1, 2], [3]]}"#,
                "s.json: device a, stay 1: it does not begin with its start and its end in seconds since 1970, or null"
            ),
            (#"{"a": [[2, 1]]}"#, "s.json: device a, stay 0: its end is before its start"),
            (#"{"a": [], "a": []}"#, "s.json: device a: it is there twice"),
            ("[]", "s.json: it is not an object"),
        ] {
            let error = try #require(throws: BenchmarkError.self) { try read(text) }
            #expect(error.description == message)
        }
    }
}
