/// The parameters of plans, in metres, seconds and metres per second. `docs/quality.md` says what they are worth.
enum PlanRule {
    /// A device that has been silent for longer walks no further round, in milliseconds: 31 days.
    static let longestSilence: Int64 = 31 * 86_400_000

    // MARK: What a silence hides

    /// Up to this gap between two fixes, in seconds, a device moves as these show.
    static let shortGap = 120.0
    /// The speed that a device may have had in a short gap, and in a longer one, at least.
    static let slowest = 3.0
    static let longGapSpeed = 15.0
    /// A device may have been so many times as fast as its fixes show.
    static let haste = 1.5
    /// The error of a fix that states none.
    static let defaultAccuracy = FixRule.defaultAccuracy
    /// A fix within so many accuracies of the place does not show that the device is elsewhere.
    static let accuracies = 1.5
    /// The same for a coarse fix, which is often that of a cell tower: such errors are larger than they say, and grow as the device
    /// moves on.
    static let coarseAccuracies = 3.0

    // MARK: What fixes show of a stay

    /// A device that is slower stands.
    static let standing = 1.0
    /// So many fixes at a place that may be of one position, or two that are so many seconds apart, show that the device stands.
    static let fixesAtRest = 3
    static let timeAtRest = 30.0
    /// A device that was under way comes as soon as it can, if it is known again after so many seconds at most.
    static let longestGap = 900.0
    /// One fix elsewhere is taken for an outlier if the fixes at the place before and after it are at most so far apart, in seconds.
    static let briefAbsence = 180.0

    // MARK: How sure

    /// The confidence where fixes cover the window, and where nothing is known.
    static let surest = 0.99
    static let unsure = 0.5
    /// The confidence of a visit whose entry states none.
    static let usualEntry = 0.95
    /// The confidence of a visit that fixes show without an entry.
    static let probableVisit = 0.8
    /// The confidence of a visit for which a gap between fixes has to count, as where the device fell silent at the place.
    static let silentVisit = 0.6
}
