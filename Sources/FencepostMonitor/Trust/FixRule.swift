/// The parameters of the evaluation of trust, in metres, seconds, metres per second and probabilities.
///
/// `docs/quality.md` says how they were fitted, and what each is worth.
enum FixRule {
    /// The accuracy of a fix that states none.
    static let defaultAccuracy = 30.0
    /// A fix with a worse accuracy is flagged as coarse.
    static let coarseAccuracy = 150.0
    /// A coarse fix whose accuracy is so many times that of the fix before is from a network.
    static let coarseRatio = 4.0
    /// So many accuracies away, fixes of a network show that the device is not where it was.
    static let absenceAccuracies = 2.0
    /// The possible search radii: the short one, or four accuracies between the other two.
    static let shortSearchRadius = 75.0
    static let leastSearchRadius = 150.0
    static let mostSearchRadius = 800.0

    // MARK: Outliers

    /// The prior probability that a network fix is the position of a cell tower, by its accuracy.
    static let networkOutlier = 0.015
    static let coarseOutlier = 0.8
    /// The prior probability that a fix with a speed of 0 is an outlier, on a device that reports speeds.
    static let stationaryOutlier = 0.04
    /// The prior probability of an outlier among all other fixes of a new device. A device that has some is expected to
    /// have more: each one that is found adds `rateStep`, up to `mostOutliers`, and so many fixes forget it.
    static let usualOutliers = 0.0041
    static let rateStep = 0.037
    static let mostOutliers = 0.2
    static let rateFixes = 130.0
    static let firstFixOutlier = 0.1
    /// The distance of an outlier from the device is log-uniform: its density per area falls with the square of the
    /// distance, beyond `outlierCore`. The shares are those of the probability near one distance, in units of π.
    static let outlierCore = 900.0
    static let outlierDensity = 0.23
    static let towerDensity = 0.66
    /// Fixes of one cell tower lie within so many metres of each other, in bursts of this duration.
    static let towerSpread = 74.0
    static let burst = 68.0
    /// After so many seconds without a trusted fix, those of a network that agree with each other show where the device is, so
    /// none of them is surer to be an outlier than this.
    static let longestBurst = 300.0
    static let surestOutlier = 1 - 1e-7
    /// A fix that lies so far from both of its neighbours, which are near each other, was an outlier: metres, and how
    /// many times the detour is longer than twice the direct way.
    static let spikeLeg = 530.0
    static let spikeDetour = 2.6

    /// A step from rest of a device without speeds is sudden if it leads farther than a car comes that starts now, or if its
    /// fix is worse than this and so many times worse than the fix before. It needs a second fix.
    static let worseAccuracy = 30.0
    static let worseRatio = 2.0
    static let startingAcceleration = 2.5
    static let startingTime = 60.0
    static let roadSpeed = 30.0

    // MARK: Motion

    /// The time constant with which a stationary device starts to move, and the least probability that it does between
    /// two fixes.
    static let stationaryTime = 450.0
    static let leastMoving = 0.13
    /// The probability that a moving device still moves.
    static let continuesMoving = 0.27
    /// Up to this speed a device is stationary.
    static let standingSpeed = 0.7
    static let walkingSpeed = 1.5
    static let ridingSpeed = 20.0
    static let tripLength = 5500.0
    static let fastestStep = 2.1
    /// The share of steps that are only limited by the pace of the device, and the scale of those: a speed that any
    /// device may have, and a multiple of its own pace.
    static let unusualStep = 0.11
    static let unusualSpeed = 7.9
    static let unusualPace = 0.23
    /// The pace of a device follows faster steps by this share, and slower ones above the speed of a run by the other.
    static let paceGain = 0.5
    static let paceLoss = 0.02
    static let runningSpeed = 3.0
    /// The time constant with which a known speed decays, and the shortest time over which steps yield a speed.
    static let speedMemory = 130.0
    static let speedBaseline = 33.0
    static let motionScale = 19.0

    // MARK: Weight

    /// The time at rest and the distance moved after which errors are independent.
    static let driftTime = 200.0
    static let driftDistance = 38.0
    static let leastWeight = 0.15
    /// The weight of a repeated position relative to a new one, and the largest weight of a return to a known position.
    static let repeatedShare = 0.092
    static let returnWeight = 0.16
    /// The learning rate of the error variance, and the power of it that corrects accuracies.
    static let errorVarianceRate = 0.0064
    static let accuracyExponent = 0.26

    // MARK: Silence

    /// How long after its last fix a device is silent: so many seconds, or usual intervals if that is longer.
    static let silence = 900.0
    static let silentIntervals = 1.5
    /// The share by which the usual interval follows the last one, which counts as at most so many usual ones.
    static let intervalRate = 0.2
    static let longestGap = 3.0
}
