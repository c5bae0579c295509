import FencepostGeometry
import FencepostService

/// Decides when the next request may be sent: at most so many per second, and none for a while after a failure.
struct RequestPacer: Sendable {
    /// The shortest time between the starts of two requests.
    let interval: Duration
    /// How long a geocoder that failed is left alone.
    static let pause = Duration.seconds(30)
    /// The longest pause that a geocoder can ask for.
    static let longestPause = Duration.seconds(3600)

    private var next = Duration.zero

    /// - Parameter rate: requests per second.
    init(rate: Double) {
        interval = .milliseconds(Int64(clamped: (1000 / rate).rounded(.up)))
    }

    /// Reserves the next time for a request.
    ///
    /// - Parameters:
    ///   - now: time since a fixed moment.
    ///   - longest: the longest wait.
    /// - Returns: how long to wait before the request is sent.
    /// - Throws: `busy` when that is longer; nothing is reserved then.
    mutating func reserve(at now: Duration, waiting longest: Duration) throws(GeocoderFailure) -> Duration {
        let wait = max(.zero, next - now)
        guard wait <= longest else { throw .busy(wait) }
        next = max(now, next) + interval
        return wait
    }

    /// Sends nothing for a while.
    ///
    /// - Parameters:
    ///   - now: time since a fixed moment.
    ///   - span: what the geocoder asked for; `nil` for the default.
    mutating func stop(at now: Duration, for span: Duration?) {
        next = max(next, now + min(max(span ?? Self.pause, interval), Self.longestPause))
    }
}
