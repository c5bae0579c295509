/// How sure an answer is, in words and, where the sources were compared, in per cent.
public struct Certainty: Hashable, Sendable {
    /// The estimated probability that the answer is right, from 0 to 100; `nil` where nobody estimated it.
    public let percent: Int?
    /// The certainty in words for people.
    public let words: String
}

extension Delivery {
    /// How sure the answer is: that of its least certain disputed rule, otherwise how its rules are known.
    ///
    /// A refusal rests on its deciding rule alone, whatever else is uncertain about the case. Where the strict policy
    /// refuses what a rule probably permits, the certainty is that of the opposite answer.
    public var certainty: Certainty {
        let isRefused = outcome == .dropped || outcome == .notMonitored
        let uncertain = warnings.map(\.rule).filter { !isRefused || $0 == decidingRule }
        let percents = uncertain.compactMap { rule -> Int? in
            guard let percent = Rule[rule].percent(for: event.service) else { return nil }
            return isRefused && Rule.permitting.contains(rule) ? 100 - percent : percent
        }
        if let percent = percents.min() { return Certainty(percent: percent, words: Self.words(for: percent)) }
        let applied = isRefused ? [decidingRule] : [decidingRule] + rules
        let isContested = applied.contains { Rule[$0].isContested }
        switch isRefused ? Rule[decidingRule].confidence : confidence {
        case .documented where isContested:
            return Certainty(percent: nil, words: "likely: Apple documents it, but a report says otherwise")
        case .documented: return Certainty(percent: nil, words: "certain, as Apple documents it")
        case .staff: return Certainty(percent: nil, words: "almost certain, as Apple's engineers say so")
        case .observed: return Certainty(percent: nil, words: "likely, as developers observed it")
        case .inferred: return Certainty(percent: nil, words: "probable, as it follows from other rules")
        case .disputed: return Certainty(percent: nil, words: "uncertain, as the sources disagree")
        }
    }

    private static func words(for percent: Int) -> String {
        switch percent {
        case 95...: "almost certain (\(percent) %)"
        case 85..<95: "very likely (\(percent) %)"
        case 70..<85: "likely (\(percent) %)"
        case 56..<70: "more likely than not (\(percent) %)"
        case 45..<56: "open (\(percent) %), so test it on a device"
        case 30..<45: "less likely than not (\(percent) %)"
        default: "unlikely (\(percent) %)"
        }
    }
}

extension Rule {
    /// The estimated probability that the rule's answer is right for a service, in per cent; `nil` without an estimate.
    ///
    /// A rule without an estimate of its own takes that of the dispute that it answers. An estimate with parts, such as
    /// `region 88 %, visits 80 %`, gives the part of the service, or else the lowest.
    public func percent(for service: Service) -> Int? {
        guard let likelihood = likelihood ?? Self.estimates[id].flatMap({ Rule[$0].likelihood }) else { return nil }
        let parts = likelihood.split(separator: ",").map(String.init)
        let word = service.isRegion ? "region" : service == .significantChange ? "significant" : service.rawValue
        let fitting = parts.first { $0.contains(word) }
        let percents = (fitting.map { [$0] } ?? parts).flatMap { part in
            part.matches(of: #/([0-9]+) %/#).compactMap { Int($0.1) }
        }
        return percents.min()
    }

    /// The rules whose estimate is that of a delivery, which the strict policy refuses.
    static let permitting: Set<RuleID> = [
        .relaunch10, .relaunch13, .relaunch15, .relaunch17, .relaunch29, .relaunch30,
    ]

    /// The disputes that estimate how sure the older rules are.
    private static let estimates: [RuleID: RuleID] = [
        .relaunch10: .dispute01, .relaunch17: .dispute04, .relaunch15: .dispute13, .relaunch16: .dispute08,
        .mon09: .dispute11,
    ]
}
