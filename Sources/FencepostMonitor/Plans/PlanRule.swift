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

    // MARK: How sure

    /// The confidence where fixes cover the window, and where nothing is known.
    static let surest = 0.99
    static let unsure = 0.5
    /// The confidence of a visit whose entry states none.
    static let usualEntry = 0.95
    /// The confidence of a visit that was over neither by a fix at the place nor by one after it: the device fell silent there.
    static let silentVisit = 0.6
}
