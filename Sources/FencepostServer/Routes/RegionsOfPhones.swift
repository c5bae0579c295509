import FencepostEngine
import FencepostFormats
import FencepostModel
import FencepostService
import Synchronization

/// The regions that OwnTracks phones monitor themselves, which the answers to their locations set (rule I18).
///
/// What a phone was sent is known until the process ends. Afterwards it is sent all once more.
final class RegionsOfPhones: Sendable {
    private let monitoring: any Monitoring
    private let clock: ServiceClock
    private let phones = Mutex<[DeviceID: PhoneRegions]>([:])

    /// The most phones that are remembered; beyond it, all are sent everything again.
    private static let largest = 10_000

    /// - Parameters:
    ///   - monitoring: has the regions.
    ///   - clock: decides when a phone may be sent others.
    init(_ monitoring: any Monitoring, _ clock: ServiceClock) {
        (self.monitoring, self.clock) = (monitoring, clock)
    }

    /// What the answer to a request has, after its newest location; empty for a token without regions, and mostly.
    func waypoints(after location: Location?, of token: AccessToken?) -> [OwnTracksWaypoint] {
        guard let limit = token?.regions, let location else { return [] }
        let (index, now) = (monitoring.regions(), clock.now())
        return phones.withLock { phones in
            if phones.count >= Self.largest, phones[location.deviceID] == nil { phones.removeAll() }
            // The location is stored, so a region that cannot be measured is no reason to let the phone send it again.
            let answer = try? phones[location.deviceID, default: PhoneRegions()]
                .answer(to: location, index, limit: limit, now: now)
            return answer ?? []
        }
    }
}
