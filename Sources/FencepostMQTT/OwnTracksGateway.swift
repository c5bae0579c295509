import FencepostFormats
public import FencepostModel
public import FencepostService
public import Logging
public import ServiceLifecycle

/// Submits the messages of OwnTracks phones from an MQTT broker to the monitor (rule I17).
public struct OwnTracksGateway: Service {
    private let subscriber: MQTTSubscriber
    /// All messages of a broker have one budget: every publisher may name any device.
    private static let owner = "mqtt"

    /// A gateway; `run` connects it.
    ///
    /// - Parameters:
    ///   - settings: address and subscription.
    ///   - submit: stores a submission, and returns when it is durable.
    ///   - clock: gives the time of arrival.
    ///   - logger: logs connections and failures.
    ///   - onConnection: as in `MQTTSubscriber`.
    ///   - observer: as in `MQTTSubscriber`.
    ///   - sleep: waits before a new connection; a parameter because tests do not wait.
    ///   - journal: knows which message was being decoded when the process ended.
    ///   - key: returns the encryption key of a device's payloads; `nil` when there is none.
    ///
    /// More than five parameters, because each is another part of the service.
    public init(
        _ settings: MQTTSettings, submit: @escaping @Sendable (Submission) async throws -> Void, clock: ServiceClock,
        logger: Logger,
        onConnection: @escaping @Sendable (Bool) -> Void = { _ in },
        observer: MQTTSubscriber.Observer = MQTTSubscriber.Observer(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        journal: WorkJournal = WorkJournal(),
        key: @escaping @Sendable (DeviceID) async -> [UInt8]? = { _ in nil }
    ) {
        subscriber = MQTTSubscriber(
            settings, logger: logger, onConnection: onConnection, observer: observer, sleep: sleep,
            handle: Self.handler(settings, submit: submit, clock: clock, journal: journal, key: key))
    }

    /// What is done with messages: they are decoded and submitted.
    static func handler(
        _ settings: MQTTSettings, submit: @escaping @Sendable (Submission) async throws -> Void, clock: ServiceClock,
        journal: WorkJournal = WorkJournal(), key: @escaping @Sendable (DeviceID) async -> [UInt8]?
    ) -> @Sendable ([MQTTMessage]) async throws -> Void {
        let reader = OwnTracksReader(settings, journal: journal)
        let budget = QuarantineBudget()
        return { messages in
            let now = clock.now()
            var dropped = DroppedMembers()
            var submission = await reader.submission(
                of: messages, now: now, latest: clock.latest(), dropping: &dropped, key: key)
            submission.quarantined = budget.admitted(submission.quarantined, of: owner, at: now)
            guard !submission.isEmpty else { return }
            try await submit(submission)
            dropped.countInMetrics()
        }
    }

    /// As `MQTTSubscriber.run`.
    public func run() async throws { try await subscriber.run() }

    /// As `MQTTSubscriber.stop`.
    public func stop() { subscriber.stop() }
}

/// Decodes OwnTracks messages on the topics `owntracks/<user>/<device>` and below.
public struct OwnTracksReader: Sendable {
    /// The common first levels of all topics: the filter up to `owntracks`, or else up to its first wildcard.
    private let base: [Substring]
    private let payloadLimit: Int
    private let journal: WorkJournal

    /// As in `Submission.format`.
    public static let format = "owntracks"

    /// A reader for the topics of a subscription.
    ///
    /// - Parameters:
    ///   - settings: the subscription.
    ///   - journal: knows which message was being decoded when the process ended.
    public init(_ settings: MQTTSettings, journal: WorkJournal = WorkJournal()) {
        self.journal = journal
        let levels = settings.topic.split(separator: "/", omittingEmptySubsequences: false)
            .prefix { $0 != "+" && $0 != "#" }
        // A filter may also name a user and a device.
        base = Array(levels.firstIndex(of: "owntracks").map { levels[...$0] } ?? levels)
        payloadLimit = settings.payloadLimit
    }

    /// Decodes messages, in order. Each bad record is quarantined, with its index in its own payload.
    ///
    /// - Parameters:
    ///   - messages: messages of any topics of the subscription; empty ones are ignored (rule I17).
    ///   - now: the time of arrival.
    ///   - latest: the time that fixes may be 24 hours ahead of, if it is another.
    ///   - dropped: counts the members that the fixes are without (rule L10).
    ///   - key: returns the encryption key of a device's payloads; `nil` when there is none.
    /// - Returns: the fixes, the reports and the quarantined records of all messages.
    public func submission(
        of messages: [MQTTMessage], now: Timestamp, latest: Timestamp? = nil, dropping dropped: inout DroppedMembers,
        key: @Sendable (DeviceID) async -> [UInt8]?
    ) async -> Submission {
        var submission = Submission(format: Self.format)
        let rules = FixRules(now: latest ?? now, areSent: true)
        for message in messages {
            // Empty messages clear a retained message and are ignored (rule I17).
            guard !message.payload.isEmpty, !OwnTracksTransition.isOwn(message.payload) else { continue }
            var device: DeviceID?
            func quarantine(_ rejection: Rejection, _ id: DeviceID?, at index: Int, fix: Location? = nil) {
                submission.quarantined.append(
                    QuarantineEntry(
                        receivedAt: now, format: Self.format, deviceID: id, index: index,
                        code: rejection.code.rawValue, detail: rejection.message, fix: fix))
            }
            do throws(Rejection) {
                guard let sender = try sender(of: message.topic) else { continue }
                device = sender
                guard message.payload.count <= payloadLimit else {
                    throw Rejection(.payloadTooLarge, "the payload has more than \(payloadLimit) bytes")
                }
                let key = await key(sender)
                // The broker sends it again if it ends the process: a retained message at each start.
                let decoded = try journal.withMessage(message.fingerprint) { () throws(Rejection) in
                    try OwnTracksIngest.decode(message.payload, sender: sender, rules: rules, key: key)
                }
                guard let request = decoded else {
                    throw Rejection(.invalidShape, "the message was not read, because it ended the process before")
                }
                submission.locations += request.locations
                submission.reports += request.reports
                dropped.add(request.dropped)
                for rejected in request.rejected {
                    quarantine(rejected.rejection, rejected.deviceID, at: rejected.index, fix: rejected.fix)
                }
            } catch {
                // The message is acknowledged, because it would otherwise block the broker's queue.
                quarantine(error, device, at: 0)
            }
        }
        return submission
    }

    /// The device that published a topic.
    ///
    /// - Returns: `nil` for messages to a device.
    /// - Throws: when the topic names no device.
    func sender(of topic: String) throws(Rejection) -> DeviceID? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.starts(with: base), levels.count >= base.count + 2 else {
            throw Rejection(.missingDevice, "the topic names no user and device; it should be owntracks/user/device")
        }
        let names = levels[base.count...]
        guard names.prefix(2).allSatisfy({ !$0.isEmpty }) else {
            throw Rejection(.invalidDeviceID, "the topic has an empty level where the user or the device should be")
        }
        if names.count > 2, names[base.count + 2] == "cmd" { return nil }
        return try DeviceID(validating: names.prefix(2).joined(separator: "/"))
    }
}

extension MQTTMessage {
    /// Names the message for the journal: the topic, and a hash of the payload.
    var fingerprint: String {
        var identity = Identity()
        identity.add(topic)
        identity.add(String(decoding: payload, as: UTF8.self))
        return identity.text(prefix: "msg_")
    }
}
