/// The explanation of an event: the rule that decided it and the values that the rule used.
public struct Why: Hashable, Sendable {
    /// The rule that decided an event.
    ///
    /// The raw values are on the wire (`why.rule`), in stored events and in the page's table of sentences.
    public enum Rule: String, Hashable, Sendable, CaseIterable {
        // Crossing mode `raw`.
        /// The fix lies on the other side of the boundary.
        case containment
        // Crossing mode `confirmed`.
        /// One fix with a small error lies clearly on the other side.
        case clearFix = "clear_fix"
        /// Several fixes in a row lie on the other side.
        case fixesAgree = "fixes_agree"
        /// The device fell silent after a fix that lies clearly on the other side.
        case noFurtherFix = "no_further_fix"
        /// The track segment between two fixes leads through the region.
        case passedBetweenFixes = "passed_between_fixes"
        // Crossing mode `coreLocation`.
        /// The first fix of the device, or of the region, decides where the device is.
        case initialState = "initial_state"
        /// The device stayed beyond the boundary by the cushion for the required time.
        case cushionAndStay = "cushion_and_stay"
        // All crossing modes.
        /// The device has been inside for the dwell time.
        case dwellDeadline = "dwell_deadline"
        /// The region's schedule opened while the device was inside.
        case scheduleOpened = "schedule_opened"
        /// The region's schedule closed while the device was inside.
        case scheduleClosed = "schedule_closed"
        /// The region was deleted while the device was inside.
        case regionDeleted = "region_deleted"
        /// The region expired while the device was inside.
        case regionExpired = "region_expired"
        // Arrivals of visits.
        /// The fixes lie at one place for most of the minimum stay.
        case fixes
        /// The device can only have spent a gap between two fixes at one place.
        case gap = "hole"
        /// No fix has followed the last one, which lies at one place with those before it.
        case silence
        // Departures of visits.
        /// Fixes away from the place show the departure.
        case departure
        /// The departure was pending for the configured time and the device did not return.
        case pendingDeparture = "departure_held_back"
        /// The device stays at another place.
        case nextStay = "next_stay"
        /// No fix came for longer than a visit may last without one.
        case maximumGap = "maximum_gap"
        /// The fix after a silence shows that the device was under way in it.
        case refuted
        // Alerts.
        /// The condition of an alert rule held for as long as the rule requires.
        case conditionMet = "condition_met"
        /// The condition of an alert rule no longer holds.
        case conditionEnded = "condition_ended"
        // Proximity.
        /// Two comparisons of the positions of both devices agree, each at one time.
        case positionsAgree = "positions_agree"
        /// As `positionsAgree`, with the last position of a device that has sent no later one.
        case positionHeld = "position_held"
        // Plans.
        /// The device was in the region of a place within its window, for at least the stay.
        case visitInWindow = "visit_in_window"
        /// The device was in the region of a place after its window only.
        case visitAfterWindow = "visit_after_window"
        /// The window is over, and the device was not in the region within it.
        case noVisitInWindow = "no_visit_in_window"
        /// No place of the round can change any more.
        case roundOver = "round_over"

        /// Whether one fix decides a crossing by its position, so that its distance to the boundary explains it.
        public var usesDistanceOfFix: Bool {
            switch self {
            case .containment, .clearFix, .fixesAgree: true
            case .noFurtherFix, .passedBetweenFixes, .initialState, .cushionAndStay, .dwellDeadline, .scheduleOpened,
                .scheduleClosed, .regionDeleted, .regionExpired, .fixes, .gap, .silence, .departure,
                .pendingDeparture, .nextStay, .maximumGap, .refuted, .conditionMet, .conditionEnded,
                .positionsAgree, .positionHeld,
                .visitInWindow, .visitAfterWindow, .noVisitInWindow, .roundOver:
                false
            }
        }
    }

    /// The rule that decided the event.
    public var rule: Rule
    /// The fix that decided, or the last one before the deadline that did; `nil` if no fix is involved.
    public var fix: Location? {
        get { fixes.first }
        set { fixes = newValue.map { [$0] } ?? [] }
    }
    /// Whether a fix decided, or one came before the deadline that did. It copies nothing.
    var hasFix: Bool { !fixes.isEmpty }
    /// Empty, or one fix: on the heap, since an explanation is copied often before its fix is set.
    private var fixes: [Location]
    /// Metres from the fix to the boundary, negative inside.
    public var distance: Double?
    /// The accuracy that the rule used, in metres.
    public var accuracy: Double?
    /// For crossings the probability of being inside after the fix, for visits that of a true stay; 0 to 1.
    public var probability: Double?
    /// The times of earlier fixes that spoke for the event and did not yet decide it.
    public var pendingFixes: [Timestamp]

    /// An explanation; all but the rule are optional because not every rule uses them.
    public init(
        rule: Rule, fix: Location? = nil, distance: Double? = nil, accuracy: Double? = nil,
        probability: Double? = nil, pendingFixes: [Timestamp] = []
    ) {
        self.rule = rule
        fixes = fix.map { [$0] } ?? []
        self.distance = distance
        self.accuracy = accuracy
        self.probability = probability
        self.pendingFixes = pendingFixes
    }
}
