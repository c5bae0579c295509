/// One rule of Core Location: a sentence, the systems that it applies to, its confidence and its sources.
public struct Rule: Hashable, Sendable {
    /// How a rule is known, from the most to the least certain.
    public enum Confidence: String, Hashable, Sendable, CaseIterable {
        /// By Apple's documentation or by a header of the SDK.
        case documented
        /// By an Apple engineer, in a talk or in a forum.
        case staff
        /// By developers who observed it.
        case observed
        /// By inference from other rules; no source states it.
        case inferred
        /// The sources disagree.
        case disputed
    }

    /// The id, such as `RELAUNCH-04`.
    public let id: RuleID
    /// The systems and versions that the rule applies to; empty when it applies to all.
    public let scope: String
    /// The rule in one sentence.
    public let text: String
    /// Every way in which the rule is known.
    public let confidences: [Confidence]
    /// The ways in which a part of the rule is known, where that part is inferred or disputed.
    public let partly: [Confidence]
    /// For a dispute, the estimated probability that the answer is right: `80 % no`.
    public let likelihood: String?
    /// The keys of the sources, such as `W19`; `references` resolves them. A rule that follows from another one names
    /// its id.
    public let sources: [String]

    /// The parameters are many because they are the columns of the table.
    init(
        _ id: RuleID, of scope: String = "", _ confidences: [Confidence], partly: [Confidence] = [],
        sure likelihood: String? = nil, sources: String = "", _ text: String
    ) {
        self.id = id
        self.scope = scope
        self.text = text
        self.confidences = confidences
        self.partly = partly
        self.likelihood = likelihood
        self.sources = sources.split(separator: " ").map(String.init)
    }

    /// The confidence in one word: disputed if the sources disagree, otherwise the most certain way in which the rule
    /// is known.
    public var confidence: Confidence {
        if confidences.contains(.disputed) { return .disputed }
        return Confidence.allCases.first(where: confidences.contains) ?? .inferred
    }

    /// Every rule, family by family, in the order of `RuleID`.
    public static let all: [Rule] =
        platforms + authorization + provisional + once + settings + callbacks + accuracy + services + relaunch
        + propertyList + regions + visits + significantChange + monitor + liveUpdates + sessions + push + abstraction
        + tools + disputes

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

    /// The rule of an id. Every id has one; a test checks it.
    public static subscript(id: RuleID) -> Rule {
        guard let rule = byID[id] else { preconditionFailure("no rule \(id.rawValue)") }
        return rule
    }
}
