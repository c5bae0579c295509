/// The parameters of fences, in metres, seconds and metres per second.
///
/// `docs/quality.md` says what they are worth.
enum FenceRule {
    // MARK: The centre

    /// A device whose last location is older is not known to be anywhere.
    static let longestSilence: Int64 = 24 * 3_600_000
    /// A position that is more uncertain is no centre.
    static let worstCenter = 150.0
    /// The error of a centre that is assumed at least: the errors of neighbouring fixes correlate.
    static let leastCenterError = 8.0
    /// A fix that states a higher speed and is not older than so many milliseconds shows a device on its way.
    static let standingSpeed = 2.0
    static let speedMemory: Int64 = 600_000

    // MARK: The boundary

    /// A fix is away when it is so many uncertainties beyond the radius, and at the place within fewer.
    static let awayUncertainties = 3.5
    static let placeUncertainties = 1.5
    /// The accuracy of a fix that is assumed at least.
    static let leastAccuracy = 5.0
    /// Fixes with a worse accuracy say nothing.
    static let worstAccuracy = 1000.0
    /// The root mean square of errors, of which 68 % are within the accuracy, relative to it.
    static let spreadOfAccuracy = 0.935
    /// The share by which the measured spread follows each fix at the place, and how many spreads a fix counts at most.
    static let spreadRate = 0.05
    static let spreadLimit = 2.5

    // MARK: Agreement

    /// A position that repeats the one before to the last digit is one observation with it for so many milliseconds.
    static let repeatedSpan: Int64 = 300_000
    /// Two fixes within so many uncertainties of each other are at one place.
    static let samePlace = 2.0
    /// A device that is driven or towed is not faster.
    static let fastest = 60.0
    /// The speed that two fixes must state to show a drive.
    static let drivingSpeed = 2.5
    /// A device that had an outlier among so many fixes needs one more fix.
    static let outlierMemory = 120.0
    /// The share of outliers of a device that has shown none.
    static let usualOutliers = 0.004
    /// The highest confidence.
    static let surest = 0.999
}
