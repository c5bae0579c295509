import FencepostFormats
import FencepostMQTT
import FencepostModel
import FencepostService
import Testing

@Suite("Messages of OwnTracks") struct OwnTracksReaderTests {
    private static let now = Timestamp(seconds: 1_772_353_800)

    private func read(
        _ messages: [(String, String)], filter: String = "owntracks/#", limit: Int = 1 << 20,
        key: @Sendable (DeviceID) async -> [UInt8]? = { _ in nil }
    ) async -> Submission {
        var settings = MQTTSettings(host: "h", topic: filter)
        settings.payloadLimit = limit
        return await OwnTracksReader(settings).submission(
            of: messages.map { MQTTMessage(topic: $0.0, payload: Array($0.1.utf8)) }, now: Self.now, key: key)
    }

    private static let fix = #"{"_type":"location","lat":1,"lon":2,"tst":1772353800,"topic":"owntracks/joe/tablet"}"#
    private static let transition =
        #"{"_type":"transition","event":"enter","desc":"Home","lat":1,"lon":2,"tst":1772353800}"#

    @Test("are of the device that their topic names, whatever the payload says") func topics() async {
        let submission = await read([
            ("owntracks/jane/phone", Self.fix), ("owntracks/jane/phone/event", Self.transition),
            ("owntracks/Jane/Phone 2", Self.fix),
        ])
        #expect(submission.locations.map(\.deviceID.rawValue) == ["jane/phone", "Jane/Phone 2"])
        #expect(submission.reports.map(\.deviceID.rawValue) == ["jane/phone"])
        #expect(submission.quarantined.isEmpty)
        #expect(submission.format == "owntracks")
    }

    @Test(
        "are found below what the filter begins with",
        arguments: [
            ("owntracks/#", "owntracks/jane/phone"), ("owntracks/+/+", "owntracks/jane/phone"),
            ("owntracks/jane/+", "owntracks/jane/phone"), ("owntracks/jane/phone", "owntracks/jane/phone"),
            ("home/owntracks/#", "home/owntracks/jane/phone"), ("gps/eu/#", "gps/eu/jane/phone"),
            ("#", "jane/phone"), ("+/+/event", "jane/phone/event"),
        ])
    func filters(filter: String, topic: String) async {
        let submission = await read([(topic, Self.fix)], filter: filter)
        #expect(submission.locations.map(\.deviceID.rawValue) == ["jane/phone"])
    }

    @Test("that are not locations are ignored: cleared retained ones, commands, other types") func none() async {
        let submission = await read([
            ("owntracks/jane/phone", ""), ("owntracks/jane", ""), ("owntracks/jane/phone/cmd", #"{"_type":"cmd"}"#),
            ("owntracks/jane/phone/cmd", Self.fix), ("owntracks/jane/phone/info", #"{"_type":"card","name":"J"}"#),
            ("owntracks/jane/phone", #"{"_type":"lwt","tst":1}"#),
        ])
        #expect(submission.isEmpty)
    }

    @Test("that are bad are quarantined, each with its device as far as that is known") func bad() async {
        let long = "owntracks/jane/" + String(repeating: "x", count: 130)
        let submission = await read(
            [
                ("owntracks/jane/phone", "{"), ("owntracks/jane/phone", "1,2"), ("owntracks/jane", Self.fix),
                ("owntracks//phone", Self.fix), (long, Self.fix), ("other/jane/phone", Self.fix),
                ("owntracks/jane/phone", #"{"_type":"location","lat":91,"lon":2,"tst":1772353800}"#),
                ("owntracks/jane/phone", "[\(Self.fix),7]"),
                ("owntracks/jane/phone", String(repeating: " ", count: 501)),
                ("owntracks/jane/phone", Self.fix), ("owntracks/jane/phone", Self.encrypted),
            ], limit: 500)
        #expect(
            submission.quarantined.map(\.code) == [
                "invalid_json", "invalid_json", "missing_device", "invalid_device_id", "invalid_device_id",
                "missing_device", "coordinate_out_of_range", "invalid_shape", "payload_too_large", "cannot_decrypt",
            ])
        #expect(submission.quarantined.map(\.index) == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(
            submission.quarantined.map { $0.deviceID?.rawValue ?? "" }
                == ["jane/phone", "jane/phone", "", "", "", ""] + Array(repeating: "jane/phone", count: 4))
        #expect(submission.quarantined.allSatisfy { $0.receivedAt == Self.now && $0.format == "owntracks" })
        #expect(submission.locations.count == 2)
    }

    /// A box of libsodium with the key `s3cret`; nonce 0, 1, … 23.
    private static let encrypted =
        #"{"_type":"encrypted","data":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXcmbs1NIgdSSQJpw60EtGYdG9hfIu"#
        + #"d1XLuB5xeZcvIIIf9mtY"#
        + #"WLVwHniw5LOeqsnc/yhTsF97hwSGzKhwHRPCjbskA/x7OnblX54wBaLORjwgnPbgSNRy4AeTsMIYaL1tT8Ud4w=="}"#

    @Test("are opened with the key of their device") func encrypted() async {
        let submission = await read([("owntracks/jane/phone", Self.encrypted)]) { device in
            device == DeviceID("jane/phone") ? Array("s3cret".utf8) : nil
        }
        #expect(submission.locations.map(\.deviceID.rawValue) == ["jane/phone"])
    }
}
