import FencepostFormats
public import FencepostModel
public import FencepostService
public import Logging
public import ServiceLifecycle

/// Takes what OwnTracks phones publish to a broker into the monitor (rule I17).
public struct OwnTracksGateway: Service {
    private let subscriber: MQTTSubscriber

    /// - Parameters:
    ///   - key: with which a device encrypts its payloads, as for `OwnTracksIngest`; `nil` where none is known.
    ///   - sleep: waits between two tries to connect.
    public init(
        _ settings: MQTTSettings, monitor: any Monitoring, clock: ServiceClock, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        key: @escaping @Sendable (DeviceID) async -> [UInt8]? = { _ in nil }
    ) {
        let reader = OwnTracksReader(settings)
        subscriber = MQTTSubscriber(settings, logger: logger, sleep: sleep) { messages in
            let submission = await reader.submission(of: messages, now: clock.now(), key: key)
            guard !submission.isEmpty else { return }
            _ = try await monitor.submit(submission)
        }
    }

    public func run() async throws { try await subscriber.run() }
}

/// Reads messages of OwnTracks by their topics: `owntracks/<user>/<device>` and those below it.
public struct OwnTracksReader: Sendable {
    /// What the topics of all devices begin with: the filter up to `owntracks`, else up to its first wildcard.
    private let base: [Substring]
    private let payloadLimit: Int

    /// As in `Submission.format`.
    public static let format = "owntracks"

    public init(_ settings: MQTTSettings) {
        let levels = settings.topic.split(separator: "/", omittingEmptySubsequences: false)
            .prefix { $0 != "+" && $0 != "#" }
        // A filter may go on to the user and the device.
        base = Array(levels.firstIndex(of: "owntracks").map { levels[...$0] } ?? levels)
        payloadLimit = settings.payloadLimit
    }

    /// What the messages say, in their order. Each bad one is among the quarantined, with its place in its own payload.
    public func submission(
        of messages: [MQTTMessage], now: Timestamp, key: @Sendable (DeviceID) async -> [UInt8]?
    ) async -> Submission {
        var submission = Submission(format: Self.format)
        let rules = FixRules(now: now)
        for message in messages {
            // A retained message is taken back by an empty one (rule I17).
            guard !message.payload.isEmpty else { continue }
            var device: DeviceID?
            func quarantine(_ rejection: Rejection, _ id: DeviceID?, at index: Int) {
                submission.quarantined.append(
                    QuarantineEntry(
                        receivedAt: now, format: Self.format, deviceID: id, index: index,
                        code: rejection.code.rawValue, detail: rejection.message))
            }
            do throws(Rejection) {
                guard let sender = try sender(of: message.topic) else { continue }
                device = sender
                guard message.payload.count <= payloadLimit else {
                    throw Rejection(.payloadTooLarge, "the payload has more than \(payloadLimit) bytes")
                }
                let request = try OwnTracksIngest.decode(
                    message.payload, sender: sender, rules: rules, key: await key(sender))
                submission.locations += request.locations
                submission.reports += request.reports
                for rejected in request.rejected {
                    quarantine(rejected.rejection, rejected.deviceID, at: rejected.index)
                }
            } catch {
                // The broker's queue must not wait for what will never be read, a key that comes later included.
                quarantine(error, device, at: 0)
            }
        }
        return submission
    }

    /// - Returns: `nil` for what is sent to the device rather than by it.
    /// - Throws: when the topic names no device.
    func sender(of topic: String) throws(Rejection) -> DeviceID? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.starts(with: base), levels.count >= base.count + 2 else {
            throw Rejection(.missingDevice, "the topic names no user and device: it should be owntracks/user/device")
        }
        let names = levels[base.count...]
        guard names.prefix(2).allSatisfy({ !$0.isEmpty }) else {
            throw Rejection(.invalidDeviceID, "the topic has an empty level where the user or the device should be")
        }
        if names.count > 2, names[base.count + 2] == "cmd" { return nil }
        return try DeviceID(validating: names.prefix(2).joined(separator: "/"))
    }
}
