import FencepostModel

extension Why.Rule {
    /// The number of the rule in stored events, which never changes.
    var code: UInt8 {
        switch self {
        case .containment: 0
        case .clearFix: 1
        case .fixesAgree: 2
        case .noFurtherFix: 3
        case .passedBetweenFixes: 4
        case .initialState: 5
        case .cushionAndStay: 6
        case .dwellDeadline: 7
        case .scheduleOpened: 8
        case .scheduleClosed: 9
        case .regionDeleted: 10
        case .regionExpired: 11
        case .fixes: 12
        case .gap: 13
        case .silence: 14
        case .departure: 15
        case .pendingDeparture: 16
        case .nextStay: 17
        case .maximumGap: 18
        case .refuted: 19
        case .conditionMet: 20
        case .conditionEnded: 21
        case .positionsAgree: 22
        case .positionHeld: 23
        // 24 to 29 are reserved.
        case .visitInWindow: 30
        case .visitAfterWindow: 31
        case .noVisitInWindow: 32
        case .roundOver: 33
        }
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: allCases.map { ($0.code, $0) })

    /// The rule with a number.
    ///
    /// - Throws: when there is none.
    init(code: UInt8) throws(CodecError) {
        guard let rule = Self.byCode[code] else { throw CodecError("a rule is not known") }
        self = rule
    }
}
