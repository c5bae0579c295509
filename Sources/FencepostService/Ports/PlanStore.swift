import FencepostJSON
public import FencepostModel
import Foundation

/// Stores the plans, which are made over the API.
public protocol PlanStore: Sendable {
    /// All plans, also ended ones, sorted by the bytes of their ids.
    func plans() async throws -> [StoredPlan]
    /// Adds or replaces a plan, unless the stored one is not as it was read.
    ///
    /// - Parameters:
    ///   - plan: the plan with all its versions.
    ///   - former: the text that the change was made from; `nil` for a new plan.
    ///   - limit: the most plans that may apply after a new one.
    /// - Returns: what has happened.
    /// - Throws: when the store cannot write.
    func changePlan(_ plan: StoredPlan, from former: String?, limit: Int) async throws -> RuleChange
}

/// A plan with its versions, as it is stored.
public struct StoredPlan: Hashable, Sendable {
    /// The id of the plan.
    public var id: String
    /// The versions as JSON, the oldest first.
    public var text: String
    /// Since when it does not apply any more; `nil` while it does.
    public var ended: Timestamp?

    /// The most versions of a plan that are kept; the oldest ones go first.
    public static let mostVersions = 100
    /// The most plans that apply at one time.
    public static let mostPlans = 200
    /// The most ended plans that are kept, for evaluations of the past; those that ended first go first.
    public static let mostEnded = 300

    /// A row.
    public init(id: String, text: String, ended: Timestamp?) { (self.id, self.text, self.ended) = (id, text, ended) }

    /// A plan with its versions, the oldest first.
    public init(id: String, versions: [Plan]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let kept = versions.suffix(Self.mostVersions)
        // A plan has only numbers that JSON has.
        let bytes = (try? encoder.encode(Array(kept))) ?? Data()
        self.init(id: id, text: String(decoding: bytes, as: UTF8.self), ended: kept.last?.until)
    }

    /// The versions, the oldest first; none of a damaged one.
    public var versions: [Plan] {
        (try? JSONDecoder().decode([Plan].self, from: Data(text.utf8))) ?? []
    }

    /// The version that applies; `nil` when the plan has ended or is damaged.
    public var current: Plan? { versions.last.flatMap { $0.until == nil ? $0 : nil } }

    /// The plan after a change.
    ///
    /// - Parameters:
    ///   - next: what applies from now on; `nil` ends it.
    ///   - now: the time of the change; a later one where the version before is not older.
    /// - Returns: the plan with one version more, or with the last one ended.
    public func replaced(by next: Plan?, at now: Timestamp) -> StoredPlan {
        var versions = versions
        var moment = now
        if let last = versions.last {
            moment = max(now, last.since.after(1))
            if last.until == nil { versions[versions.count - 1].until = moment }
        }
        if var next {
            (next.since, next.until) = (moment, nil)
            versions.append(next)
        }
        return StoredPlan(id: id, versions: versions)
    }
}
