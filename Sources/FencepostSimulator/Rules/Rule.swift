/// One rule of Core Location as it is known: what it says, since when, how surely, and who says so.
public struct Rule: Hashable, Sendable {
    /// How a rule is known, from the surest to the least sure.
    public enum Confidence: String, Hashable, Sendable, CaseIterable {
        /// By Apple's documentation or a header of the SDK.
        case documented
        /// By an Apple engineer, in a talk or a forum.
        case staff
        /// By developers who saw it.
        case observed
        /// From other rules; nobody states it.
        case inferred
        /// Sources disagree.
        case disputed
    }

    public let id: RuleID
    /// The systems and versions that the rule speaks of; empty for all.
    public let scope: String
    /// The rule in one sentence.
    public let text: String
    /// All the ways in which it is known.
    public let confidences: [Confidence]
    /// Inferred or disputed for some part of what it covers.
    public let partly: [Confidence]
    /// For a dispute: how sure its best-supported answer is.
    public let likelihood: String?
    /// The keys of its sources: `W19`, `D-VISITS`.
    public let sources: [String]

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

    /// The one word for it: disputed if it is, else the surest way in which it is known.
    public var confidence: Confidence {
        if confidences.contains(.disputed) { return .disputed }
        return Confidence.allCases.first(where: confidences.contains) ?? .inferred
    }

    /// Whether an answer that rests on it comes with a warning: it is disputed, or inferred by us.
    public var isUncertain: Bool {
        confidences.contains(.disputed) || confidences.contains(.inferred)
    }

    /// Every rule, family by family.
    public static let all: [Rule] =
        platforms + authorization + provisional + once + settings + callbacks + accuracy + services + relaunch
        + propertyList + regions + visits + significantChange + monitor + liveUpdates + sessions + push + abstraction
        + tools + disputes

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

    /// The rule of an id: each id has one, which a test sees to.
    public static subscript(id: RuleID) -> Rule {
        guard let rule = byID[id] else { preconditionFailure("no rule \(id.rawValue)") }
        return rule
    }
}
