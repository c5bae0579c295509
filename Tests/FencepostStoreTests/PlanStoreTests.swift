import FencepostModel
import FencepostService
import Foundation
import Testing

@testable import FencepostStore

@Suite("Stored plans") struct PlanStoreTests {
    private static let now = Timestamp(seconds: 1_772_000_000)

    private static func plan(_ id: String, at moment: Timestamp = now) -> Plan {
        var plan = Plan(
            id: id, [Plan.Stop(region: RegionID("gate"), start: 600, end: 660)], PlanCalendar(), timeZone: .gmt,
            since: moment)
        plan.devices = [GlobPattern("guard")]
        return plan
    }

    private static func added(_ id: String) -> StoredPlan {
        StoredPlan(id: id, versions: []).replaced(by: plan(id), at: now)
    }

    @Test("are changed only as they were read, and keep their versions")
    func changes() async throws {
        try await withStore { (store: SQLiteStore) async throws -> Void in
            let first = Self.added("a")
            #expect(try await store.changePlan(first, from: nil, limit: 9) == .done)
            #expect(try await store.changePlan(first, from: nil, limit: 9) == .outdated)
            let second = first.replaced(by: Self.plan("a"), at: Self.now + .seconds(60))
            #expect(try await store.changePlan(second, from: "[]", limit: 9) == .outdated)
            #expect(try await store.changePlan(second, from: first.text, limit: 9) == .done)
            #expect(try await store.plans() == [second])
            let versions = second.versions
            #expect(versions.map(\.since) == [Self.now, Self.now + .seconds(60)])
            #expect(versions[0].until == versions[1].since && versions[1].until == nil)
            // A clock that was set back does not put the versions out of order.
            let third = second.replaced(by: Self.plan("a"), at: Self.now)
            #expect(third.versions.map(\.since) == third.versions.map(\.since).sorted() && third.versions.count == 3)
            let ended = third.replaced(by: nil, at: Self.now + .seconds(90))
            #expect(ended.current == nil && ended.ended != nil)
            #expect(try await store.changePlan(ended, from: second.text, limit: 0) == .done)
            #expect(try await store.alertSources().plans == ended.versions)
        }
    }

    @Test("are limited, and the ones that ended first are forgotten")
    func limits() async throws {
        try await withStore { (store: SQLiteStore) async throws -> Void in
            #expect(try await store.changePlan(Self.added("a"), from: nil, limit: 1) == .done)
            #expect(try await store.changePlan(Self.added("b"), from: nil, limit: 1) == .tooMany)
            for index in 0..<StoredPlan.mostEnded + 5 {
                let ended = Self.added("e\(index)").replaced(by: nil, at: Self.now + .seconds(Int64(index) + 1))
                #expect(try await store.changePlan(ended, from: nil, limit: 1) == .done)
            }
            let plans = try await store.plans()
            #expect(plans.count == StoredPlan.mostEnded + 1)
            #expect(!plans.contains { $0.id == "e0" } && plans.contains { $0.id == "a" })
        }
    }

    @Test("keep at most a hundred versions")
    func versions() {
        var plan = Self.added("a")
        for index in 1...150 { plan = plan.replaced(by: Self.plan("a"), at: Self.now + .seconds(Int64(index))) }
        #expect(plan.versions.count == StoredPlan.mostVersions)
        #expect(plan.versions.last?.since == Self.now + .seconds(150))
    }
}
