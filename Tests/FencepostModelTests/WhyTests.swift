import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@Suite("Rules that explain events") struct WhyTests {
    /// The page's table of sentences: a member for each rule, on a line of its own.
    private static let table = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/FencepostPage/Web/english/why-rules.js").standardizedFileURL

    @Test("have exactly one sentence each on the page")
    func sentences() throws {
        let text = try String(contentsOf: Self.table, encoding: .utf8)
        let rules = text.matches(of: /(?m)^\s*"?([a-z_]+)"?: "([^"]+)",$/).map { String($0.output.1) }
        #expect(rules.count == Set(rules).count)
        #expect(Set(rules) == Set(Why.Rule.allCases.map(\.rawValue)))
    }

    @Test("use the distance of a fix only if one fix decides by its position")
    func distances() {
        let rules = Why.Rule.allCases.filter(\.usesDistanceOfFix)
        #expect(rules == [.containment, .clearFix, .fixesAgree])
    }
}

@Suite("Occurrences") struct OccurrenceTests {
    private let region = RegionSummary(
        Region(id: RegionID("a"), shape: .circle(.init(center: .init(latitude: 0, longitude: 0), radius: 1))))
    private let fence = Fence(
        armedAt: Timestamp(seconds: 0), center: .init(latitude: 0, longitude: 0), horizontalAccuracy: 10,
        FenceSettings(), until: nil, origin: .caller)
    private let visit = Visit(
        id: "vis_1", arrival: nil, coordinate: .init(latitude: 0, longitude: 0), horizontalAccuracy: 15)

    @Test("name the region or the visit that they are about")
    func subjects() {
        let stop = PlanReport.Stop(
            1, region, start: Timestamp(seconds: 0), end: Timestamp(seconds: 60), stay: .zero)
        let summary = PlanSummary(visited: 1, late: 0, missed: 0, isInOrder: nil)
        let cases: [(Occurrence, RegionSummary?, Visit?)] =
            [
                (.regionEntered(region), region, nil), (.regionExited(region, reason: .deleted), region, nil),
                (.regionDwelled(region, dwell: .seconds(60)), region, nil), (.visitArrived(visit), nil, visit),
                (.visitDeparted(visit), nil, visit), (.deviceStale, nil, nil), (.deviceRecovered, nil, nil),
                (.appRelaunched(AppSummary(id: "app")), nil, nil),
            ]
            + Alert.Kind.allCases.map {
                (.alert(Alert(kind: $0, rule: "r", state: .started, region: region)), region, nil)
            }
            + [FenceReport.Kind.armed, .broken(distance: 300), .disarmed(.owner)].map {
                (.fence(FenceReport($0, fence)), nil, nil)
            }
            + [ProximityReport.Kind.entered, .exited(isClosed: true), .dwelled(.seconds(60)), .unaccompanied].map {
                let report = ProximityReport(
                    $0, rule: "r", other: DeviceID("b"), distance: 20, uncertainty: 10, limit: 100)
                return (.proximity(report), nil, nil)
            }
        let rounds: [(Occurrence, RegionSummary?, Visit?)] = [
            PlanReport.Kind.visited, .late, .missed, .completed(summary),
        ].map { kind in
            let found = kind.type == .planCompleted ? nil : stop
            let report = PlanReport(kind, plan: "p", name: nil, day: 0, count: 1, found)
            return (.plan(report), found?.region, nil)
        }
        #expect(Set((cases + rounds).map(\.0.type)) == Set(EventType.allCases))
        for (occurrence, region, visit) in cases + rounds {
            #expect(occurrence.region == region && occurrence.visit == visit)
        }
    }

    @Test("keep their type when the visit is replaced", arguments: [EventType.visitArrived, .visitDeparted])
    func replacedVisit(type: EventType) {
        var occurrence = type == .visitArrived ? Occurrence.visitArrived(visit) : .visitDeparted(visit)
        var changed = visit
        changed.regions = [RegionID("a")]
        occurrence.visit = changed
        #expect(occurrence.type == type && occurrence.visit == changed)
    }
}
