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
    /// The error of a centre relative to the accuracy of its fixes: it is their mean, but their errors correlate.
    static let centerError = 0.6
    /// One fix elsewhere that comes so many seconds after the one before may be a way in a silence, and no outlier.
    static let longestGap = 900.0
    /// A fix that states a higher speed and is not older than so many milliseconds shows a device on its way.
    static let standingSpeed = 2.0
    static let speedMemory: Int64 = 600_000

    // MARK: The boundary

    /// A fix is away when it is so many uncertainties beyond the radius, and at the place within fewer.
    static let awayUncertainties = 3.5
    static let returnUncertainties = 1.5
    /// The accuracy of a fix that is assumed at least.
    static let leastAccuracy = 5.0
    /// Fixes with a worse accuracy say nothing.
    static let worstAccuracy = 1000.0
    /// The root mean square of errors, of which 68 % are within the accuracy, relative to it.
    static let spreadOfAccuracy = 0.935
    /// The share by which the measured spread follows each fix at the place at most, the seconds that it takes to follow, so that
    /// a slow way does not widen it, and how many spreads a fix counts at most.
    static let spreadRate = 0.05
    static let spreadTime = 1200.0
    static let spreadLimit = 2.5
    /// Nothing is learned from fixes that are twice as uncertain as usual, and more than this.
    static let learntUncertainty = 30.0
    /// A fix at the place shows that those away were wrong if its uncertainty is at most this share of their distance.
    static let clearShare = 0.5

    // MARK: Agreement

    /// A position that repeats the one before to the last digit is one observation with it for so many milliseconds, unless the
    /// device repeated its position so many times where it stood.
    static let repeatedSpan: Int64 = 300_000
    static let usualRepeats = 3
    /// Two fixes within so many uncertainties of each other are at one place.
    static let sameUncertainties = 2.0
    /// Two fixes are near each other when the step between them is so short, relative to their distances from the centre.
    static let nearStep = 0.3
    /// The second of two fixes on a way is at least so far from the centre, relative to the first one.
    static let onward = 0.6
    /// How far a vehicle comes that starts now: by its acceleration in metres per second squared, and later by its speed.
    static let startingAcceleration = 5.0
    static let startingDistance = 100.0
    static let roadSpeed = 45.0
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
