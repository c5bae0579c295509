/// How sure an answer is, in words and, where the sources were compared, in per cent.
public struct Certainty: Hashable, Sendable {
    /// The estimated probability that the answer is right, from 0 to 100; `nil` where nobody estimated it.
    public let percent: Int?
    /// The certainty in words for people.
    public let words: String
}

extension Delivery {
    /// How sure the answer is: that of its least certain disputed rule, otherwise how its rules are known.
    public var certainty: Certainty {
        let percents = warnings.compactMap { Rule[$0.rule].percent(for: event.service) }
        if let percent = percents.min() { return Certainty(percent: percent, words: Self.words(for: percent)) }
        switch confidence {
        case .documented: return Certainty(percent: nil, words: "certain: Apple documents it")
        case .staff: return Certainty(percent: nil, words: "almost certain: Apple's engineers say so")
        case .observed: return Certainty(percent: nil, words: "likely: developers observed it")
        case .inferred: return Certainty(percent: nil, words: "probable: it follows from other rules")
        case .disputed: return Certainty(percent: nil, words: "uncertain: the sources disagree")
        }
    }

    private static func words(for percent: Int) -> String {
        switch percent {
        case 95...: "almost certain (\(percent) %)"
        case 85..<95: "very likely (\(percent) %)"
        case 70..<85: "likely (\(percent) %)"
        case 56..<70: "more likely than not (\(percent) %)"
        default: "open (\(percent) %): test it on a device"
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

    /// The disputes that estimate how sure the older rules are.
    private static let estimates: [RuleID: RuleID] = [
        .relaunch10: .dispute01, .relaunch17: .dispute04, .relaunch15: .dispute13, .relaunch16: .dispute08,
        .mon09: .dispute11,
    ]
}
