/// What a step brought about.
public enum Action: Hashable, Sendable {
    case prompt(Prompt)
    /// The delegate hears of a status or an accuracy that is news to it.
    case callback(ReportedStatus)
    /// An event was decided; they are counted from 0.
    case deliver(Delivery)
    /// What became of an earlier delivery that was held or queued.
    case settle(Int, Delivery.Settlement)
    case fail(ServiceError)
    case crash(Crash)
    case missingKeys([String])
    case appMust(String)
    case warn(RuleWarning)
    /// The account of the step itself; each step gives one, last.
    case report(StepReport)
}

/// A prompt on the screen.
public struct Prompt: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// Of iOS 7 and earlier, at the first use of location.
        case implicitLegacy
        case whenInUseLegacy, alwaysLegacy, alwaysThreeOption, first, upgrade
        /// Of a provisional always, by the system.
        case second
        case reminder, temporaryFullAccuracy, macAutomatic
    }

    public var step: Int
    public var kind: Kind
    public var buttons: [Choice]
    /// The key of the string that it shows, as in `infoPlist`.
    public var descriptionKey: String?
    public var preciseToggle = false
    public var titleMentionsApproximate = false
}

/// An error of the SDK that the app is told of.
public struct ServiceError: Hashable, Sendable {
    public var step: Int
    public var code: SDKErrorCode
    public var region: String?
}

/// The errors of the SDK that the simulation gives.
public enum SDKErrorCode: Hashable, Sendable {
    case denied, regionMonitoringDenied, regionMonitoringFailure, promptDeclined
    case missingPushExtension, missingEntitlement, unsupportedPlatform

    public var domain: String {
        switch self {
        case .denied, .regionMonitoringDenied, .regionMonitoringFailure, .promptDeclined: "CLError"
        case .missingPushExtension, .missingEntitlement, .unsupportedPlatform: "CLLocationPushServiceError"
        }
    }

    public var code: Int {
        switch self {
        case .denied: 1
        case .regionMonitoringDenied: 4
        case .regionMonitoringFailure: 5
        case .promptDeclined: 18
        case .missingPushExtension: 1
        case .missingEntitlement: 3
        case .unsupportedPlatform: 4
        }
    }

    /// The name of the case in the SDK.
    public var name: String { "\(self)" }
}

/// A step that crashed the app.
public struct Crash: Hashable, Sendable {
    public var step: Int
    public var rule: RuleID
    public var text: String
}

/// The account of one step.
public struct StepReport: Hashable, Sendable {
    /// `none` when the step did nothing.
    public var effect = "none"
    /// That decided.
    public var rules: [RuleID] = []
    public var notes: [String] = []
    /// What the verb answers; empty for one that answers nothing.
    public var result: [AnswerValue.Member] = []

    public init() {}
}

/// What a step answers: a small JSON value with its members in order.
public indirect enum AnswerValue: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: AnswerValue

        init(_ name: String, _ value: AnswerValue) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([AnswerValue])
    case members([Member])

    static func texts(_ texts: [String]) -> AnswerValue { .list(texts.map(AnswerValue.text)) }

    static func error(_ code: SDKErrorCode?) -> AnswerValue {
        guard let code else { return .null }
        return .members([
            Member("domain", .text(code.domain)), Member("code", .number(Double(code.code))),
            Member("name", .text(code.name)),
        ])
    }

    /// Flags by name; those that are false stay away.
    static func flags(_ names: [String]) -> AnswerValue { .members(names.map { Member($0, .bool(true)) }) }
}
