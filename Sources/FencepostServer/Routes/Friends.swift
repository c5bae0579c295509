import FencepostEngine
import FencepostFormats
import FencepostModel
import FencepostService
import Synchronization

/// The friends of OwnTracks phones: what the answers to their locations have of other devices (rule I16).
final class Friends: Sendable {
    private let monitoring: any Monitoring
    private let store: any ProfileStore
    private let clock: ServiceClock
    /// The pictures that each token got last, and when.
    private let sent = Mutex<[Recipient: (face: Face, time: Timestamp)]>([:])

    private struct Recipient: Hashable {
        var tokenID: String
        var friend: DeviceID
    }

    /// Milliseconds between two cards with the same picture. Phones forget cards when their app ends, and pictures in
    /// each answer would use up what a phone may send and receive in a month.
    private static let interval: Int64 = 3_600_000

    /// The most pictures that are remembered; beyond it, all are sent again.
    private static let largest = 10_000

    /// - Parameters:
    ///   - monitoring: has the last positions.
    ///   - store: has names and pictures.
    ///   - clock: decides when a picture is sent again.
    init(_ monitoring: any Monitoring, _ store: any ProfileStore, _ clock: ServiceClock) {
        (self.monitoring, self.store, self.clock) = (monitoring, store, clock)
    }

    /// What the answer to a location of a phone with this token has.
    func friends(of token: AccessToken?) async throws -> [OwnTracksFriend] {
        guard let token, let devices = token.friends else { return [] }
        let profiles = Dictionary(
            try await store.profiles().map { ($0.deviceID, $0) }, uniquingKeysWith: { first, _ in first })
        var friends: [OwnTracksFriend] = []
        for device in Set(devices) {
            guard let location = monitoring.device(device)?.lastLocation else { continue }
            var friend = OwnTracksFriend(deviceID: device, name: profiles[device]?.name, location: location)
            if profiles[device]?.hasFace == true, let face = try await store.face(of: device) {
                // A card without the picture would remove it from the app.
                friend.hasCard = mustSend(face, of: device, to: token)
                friend.face = face.bytes
            }
            friends.append(friend)
        }
        return friends
    }

    private func mustSend(_ face: Face, of friend: DeviceID, to token: AccessToken) -> Bool {
        let (now, recipient) = (clock.now(), Recipient(tokenID: token.id, friend: friend))
        return sent.withLock { sent in
            if let last = sent[recipient], last.face == face, now.milliseconds - last.time.milliseconds < Self.interval
            {
                return false
            }
            if sent.count >= Self.largest { sent.removeAll() }
            sent[recipient] = (face, now)
            return true
        }
    }
}
