/// A result of a step.
public enum Action: Hashable, Sendable {
    /// The system shows a prompt.
    case prompt(Prompt)
    /// The delegate receives a changed status or a changed accuracy.
    case callback(ReportedStatus)
    /// The rules were evaluated for an event. Deliveries are counted from 0.
    case deliver(Delivery)
    /// A delivery that was held or queued has its final result. The number is that of the delivery.
    case settle(Int, Delivery.Settlement)
    /// The app receives an error.
    case fail(ServiceError)
    /// The step crashes the app.
    case crash(Crash)
    /// The app's declaration lacks these keys.
    case missingKeys([String])
    /// The app has to do this itself, such as `beginBackgroundTask`.
    case appMust(String)
    /// An uncertain rule influenced the step.
    case warn(RuleWarning)
    /// The report on the step itself. Every step has one, as its last action.
    case report(StepReport)
}

/// A prompt on the screen.
public struct Prompt: Hashable, Sendable {
    /// Which prompt it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// The prompt of iOS 7 and earlier, at the first use of location.
        case implicitLegacy
        /// The prompts for While Using before iOS 13, for Always before iOS 11 and on iOS 11 and 12, the first one from
        /// iOS 13, and the one for Always after While Using.
        case whenInUseLegacy, alwaysLegacy, alwaysThreeOption, first, upgrade
        /// The system's own prompt for a provisional Always.
        case second
        /// The reminder of use in the background, the prompt for full accuracy, and the one that a Mac shows for any
        /// level.
        case reminder, temporaryFullAccuracy, macAutomatic
    }

    /// The index of the step that shows the prompt, from 0.
    public var step: Int
    /// Which prompt it is.
    public var kind: Kind
    /// The buttons, in their order on screen.
    public var buttons: [Choice]
    /// The property list key of the text that the prompt shows.
    public var descriptionKey: String?
    /// Whether the prompt has a switch for precise locations.
    public var preciseToggle = false
    /// Whether the title says that the location is approximate.
    public var titleMentionsApproximate = false
}

/// An error of the SDK that the app receives.
public struct ServiceError: Hashable, Sendable {
    /// The index of the step, from 0.
    public var step: Int
    /// The error.
    public var code: SDKErrorCode
    /// The identifier of the region that the error is about; `nil` for other errors.
    public var region: String?
}

/// The errors of the SDK that the simulation produces.
public enum SDKErrorCode: Hashable, Sendable {
    /// Codes of `CLError`.
    case denied, regionMonitoringDenied, regionMonitoringFailure, promptDeclined
    /// Codes of `CLLocationPushServiceError`.
    case missingPushExtension, missingEntitlement, unsupportedPlatform

    /// The error domain in the SDK.
    public var domain: String {
        switch self {
        case .denied, .regionMonitoringDenied, .regionMonitoringFailure, .promptDeclined: "CLError"
        case .missingPushExtension, .missingEntitlement, .unsupportedPlatform: "CLLocationPushServiceError"
        }
    }

    /// The code within the domain.
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

/// A crash of the app, as Core Location raises it for a programming error.
public struct Crash: Hashable, Sendable {
    /// The index of the step, from 0.
    public var step: Int
    /// The rule that requires the crash.
    public var rule: RuleID
    /// The cause in one sentence.
    public var text: String
}

/// The report on one step.
public struct StepReport: Hashable, Sendable {
    /// A word for the effect, such as `prompt` or `delivered`; `none` when the step did nothing.
    public var effect = "none"
    /// The rules that decide the effect, in order.
    public var rules: [RuleID] = []
    /// Sentences for people, one for each observation.
    public var notes: [String] = []
    /// What the verb answers; empty for a verb without an answer.
    public var result: [AnswerValue.Member] = []

    /// Makes the report of a step without effect.
    public init() {}
}

/// The answer of a step: a small JSON value. Members keep their order.
public indirect enum AnswerValue: Hashable, Sendable {
    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: AnswerValue

        /// Makes a member.
        public init(_ name: String, _ value: AnswerValue) {
            self.name = name
            self.value = value
        }
    }

    /// No value.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A finite number.
    case number(Double)
    /// A text.
    case text(String)
    /// Values in order.
    case list([AnswerValue])
    /// Named values in order.
    case members([Member])

    static func strings(_ texts: [String]) -> AnswerValue { .list(texts.map(AnswerValue.text)) }

    static func error(_ code: SDKErrorCode?) -> AnswerValue {
        guard let code else { return .null }
        return .members([
            Member("domain", .text(code.domain)), Member("code", .number(Double(code.code))),
            Member("name", .text(code.name)),
        ])
    }

    /// An object with these members, all `true`. Flags that are false are left out.
    static func flags(_ names: [String]) -> AnswerValue { .members(names.map { Member($0, .bool(true)) }) }
}
