import FencepostFormats
import FencepostModel
import FencepostService
import Synchronization
import Testing

@testable import FencepostMQTT

@Suite("Messages of OwnTracks") struct OwnTracksReaderTests {
    private static let now = Timestamp(seconds: 1_772_353_800)

    private func read(
        _ messages: [(String, String)], filter: String = "owntracks/#", limit: Int = 1 << 20,
        key: @Sendable (DeviceID) async -> [UInt8]? = { _ in nil }
    ) async -> Submission {
        var settings = MQTTSettings(host: "h", topic: filter)
        settings.payloadLimit = limit
        var dropped = DroppedMembers()
        return await OwnTracksReader(settings).submission(
            of: messages.map { MQTTMessage(topic: $0.0, payload: Array($0.1.utf8)) }, now: Self.now, dropping: &dropped,
            key: key)
    }

    @Test("have the members counted that their locations are without") func dropped() async {
        let payload = #"{"_type":"location","lat":1,"lon":2,"tst":1772353800,"alt":1e19,"vel":1e300}"#
        var dropped = DroppedMembers()
        let message = MQTTMessage(topic: "owntracks/jane/phone", payload: Array(payload.utf8))
        let submission = await OwnTracksReader(MQTTSettings(host: "h")).submission(
            of: [message], now: Self.now, dropping: &dropped
        ) { _ in nil }
        #expect(submission.locations.count == 1)
        #expect(dropped.counts == ["altitude": 1, "speed": 1])
    }

    @Test("are quarantined unread when reading them has ended the process before") func poisoned() async {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: WorkJournal.byteCount, alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: WorkJournal.byteCount)
        defer { memory.deallocate() }
        func journal() -> WorkJournal { WorkJournal(memory, version: "1") { _ in } }
        let message = MQTTMessage(topic: "owntracks/jane/phone", payload: Array(Self.fix.utf8))
        var dropped = DroppedMembers()
        for _ in 0..<2 {
            let journal = journal()
            _ = journal.withMessage(message.fingerprint) { journal.noteFault() }
        }
        let submission = await OwnTracksReader(MQTTSettings(host: "h"), journal: journal()).submission(
            of: [message, MQTTMessage(topic: "owntracks/jane/phone", payload: Array(Self.fix.utf8) + [0x20])],
            now: Self.now, dropping: &dropped
        ) { _ in nil }
        #expect(submission.locations.count == 1)
        let detail = "the message was not read, because it ended the process before"
        #expect(submission.quarantined.map(\.detail) == [detail])
    }

    @Test("are quarantined up to the limit of a day, whatever devices they name") func quarantineLimit() async throws {
        let stored = Mutex(0)
        let take = OwnTracksGateway.handler(
            MQTTSettings(host: "h"), submit: { submission in stored.withLock { $0 += submission.quarantined.count } },
            clock: ServiceClock(steady: { .zero }, wall: { Self.now }), key: { _ in nil })
        for part in 0..<11 {
            let messages = (0..<1000).map {
                MQTTMessage(topic: "owntracks/jane/\(part)-\($0)", payload: Array("no JSON".utf8))
            }
            try await take(messages)
        }
        #expect(stored.withLock { $0 } == 10_000)
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
