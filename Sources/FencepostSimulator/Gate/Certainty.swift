import FencepostGeometry

/// How sure an answer is, in words and, where the sources were compared, in per cent.
public struct Certainty: Hashable, Sendable {
    /// The estimated probability that the answer is right, from 0 to 100; `nil` where nobody estimated it.
    public let percent: Int?
    /// The certainty in words for people.
    public let words: String
}

extension Delivery {
    /// How sure the answer is, by the estimates of the rules that it rests on, otherwise by how these are known.
    ///
    /// A delivery rests on every uncertain rule of its chain, so its certainty is at most the product of the estimates.
    /// A refusal rests on its deciding rule, whatever else is uncertain about the case. An answer that a rule speaks
    /// against, such as one of the strict policy, has the complement of that rule's estimate.
    public var certainty: Certainty {
        if let impossibility { return Certainty(percent: nil, words: "hypothetical, as \(impossibility)") }
        let percents = estimates
        if let percent = percents.combined {
            return Certainty(percent: percent, words: Self.words(for: percent, isBound: percents.count > 1))
        }
        if !contrary.isEmpty {
            return Certainty(percent: nil, words: "uncertain, as a report says otherwise, so test it on a device")
        }
        let applied = isRefused ? [decidingRule] : [decidingRule] + rules
        let isContested = applied.contains { Rule[$0].isContested }
        switch known {
        case .documented where isContested, .staff where isContested:
            return Certainty(percent: nil, words: "likely: Apple documents it, but a report says otherwise")
        case .documented: return Certainty(percent: nil, words: "certain, as Apple documents it")
        case .staff: return Certainty(percent: nil, words: "almost certain, as Apple's engineers say so")
        case .observed: return Certainty(percent: nil, words: "likely, as developers observed it")
        case .inferred: return Certainty(percent: nil, words: "probable, as it follows from other rules")
        case .disputed: return Certainty(percent: nil, words: "uncertain, as the sources disagree")
        }
    }

    private var isRefused: Bool { outcome == .dropped || outcome == .notMonitored }

    /// The estimates that the answer rests on.
    private var estimates: Estimates {
        let uncertain = warnings.map(\.rule).filter { !isRefused || $0 == decidingRule || openRules.contains($0) }
        var estimates = Estimates()
        for rule in (uncertain + openRules + contrary).withoutDuplicates {
            guard let percent = Rule[rule].percent(for: event.service) else { continue }
            estimates.add(contrary.contains(rule) ? 100 - percent : percent, of: rule)
        }
        return estimates
    }

    /// How the answer is known where nobody estimated it.
    private var known: Rule.Confidence {
        let order = Rule.Confidence.allCases
        func worst(_ confidences: [Rule.Confidence]) -> Rule.Confidence {
            order.last { confidences.contains($0) } ?? Rule[decidingRule].confidence
        }
        if isRefused {
            let levels = openRules.map { Rule[$0].confidence == .disputed ? Rule.Confidence.disputed : .inferred }
            return worst(levels + [Rule[decidingRule].confidence])
        }
        // That an app is launched or woken rests on what its service can do, however well the grant is documented.
        return worst([confidence] + (relaunch || appWoken ? [Rule[event.service.rule].confidence] : []))
    }

    private static func words(for percent: Int, isBound: Bool) -> String {
        let number = isBound ? "at most \(percent) %" : "\(percent) %"
        return switch percent {
        case 95...: "almost certain (\(number))"
        case 85..<95: "very likely (\(number))"
        case 70..<85: "likely (\(number))"
        case 56..<70: "more likely than not (\(number))"
        case 45..<56: "open (\(number)), so test it on a device"
        case 30..<45: "less likely than not (\(number))"
        default: "unlikely (\(number))"
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
        .relaunch13: .dispute03, .mon09: .dispute11,
    ]
}

/// The estimates of the rules that an answer rests on, in per cent.
private struct Estimates {
    /// The least estimate of each question. Several rules may be about one question.
    private var percents: [Question: Int] = [:]

    private enum Question: Hashable {
        case continuity, reboot
        case other(RuleID)

        init(_ rule: RuleID) {
            switch rule {
            case .svc24, .svc25, .dispute25: self = .continuity
            case .relaunch17, .relaunch36: self = .reboot
            // A list would say nothing, because every other of the hundreds of rules is a question of its own.
            default: self = .other(rule)
            }
        }
    }

    var count: Int { percents.count }

    mutating func add(_ percent: Int, of rule: RuleID) {
        percents[Question(rule)] = min(percents[Question(rule)] ?? 100, percent)
    }

    /// The product, rounded down; `nil` without an estimate.
    var combined: Int? {
        guard !percents.isEmpty else { return nil }
        return Int(clamped: percents.values.sorted().reduce(1.0) { $0 * Double($1) / 100 } * 100 + 1e-6)
    }
}
