import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostService
import FencepostTesting
import Testing

@testable import FencepostWebhooks

/// Which events become messages for people: the choice of an endpoint that chooses nothing, and one message for one fact.
@Suite("Messages to people") struct PeopleMessagesTests {
    static let start = Timestamp(seconds: 1_772_353_800)

    static func region(_ id: String, name: String? = nil, tags: [String] = [], radius: Double = 50) -> Region {
        var region = Region(
            id: RegionID(id), shape: .circle(Circle(center: Coordinate(latitude: 48, longitude: 2), radius: radius)))
        (region.name, region.tags) = (name, tags)
        return region
    }

    static let withHome = RegionCatalog([
        region("h-2", name: "Home"), region("town", name: "Old Town", radius: 900), region("cafe", name: "Café"),
    ])
    static let withoutHome = RegionCatalog([region("depot"), region("campus")])

    static func event(_ occurrence: Occurrence, isCrossing: Bool = true) -> Event {
        var event = Event(
            id: "evt_1", sequence: 1, deviceID: DeviceID("jane/phone"), occurrence: occurrence, timestamp: start,
            detectedAt: start)
        event.isCrossing = isCrossing
        return event
    }

    static func entry(_ region: Region) -> Event { event(.regionEntered(RegionSummary(region))) }

    static func visit(_ regions: String...) -> Occurrence {
        .visitArrived(
            Visit(
                id: "vis_1", arrival: start, coordinate: Coordinate(latitude: 48, longitude: 2), horizontalAccuracy: 20,
                regions: regions.map { RegionID($0) }))
    }

    static func stored(_ event: Event) -> NewEvent {
        NewEvent(EventMessage(.occurrence(event, decisions: []), receivedAt: event.detectedAt))
    }

    /// The titles of the messages of one endpoint.
    static func titles(
        of event: Event, _ regions: RegionCatalog, kind: Endpoint.Kind = .ntfy,
        _ change: (inout Endpoint) -> Void = { _ in }
    ) -> [String] {
        var endpoint = Endpoint.test()
        endpoint.kind = kind
        endpoint.people.timeZone = "UTC"
        change(&endpoint)
        return EndpointRoster([endpoint], regions: { regions }).messages(for: Self.stored(event))
            .map { endpoint.writer(zone: nil).write([$0.body]).title }
    }

    @Test("an endpoint that chooses nothing gets homes, by name, id or tag, and everything where nobody has one")
    func choice() {
        let (home, cafe) = (Self.region("h-2", name: "Home"), Self.region("cafe", name: "Café"))
        #expect(Self.titles(of: Self.entry(home), Self.withHome) == ["Jane came home at 08:30"])
        #expect(Self.titles(of: Self.entry(cafe), Self.withHome) == [])
        #expect(Self.titles(of: Self.event(Self.visit("cafe", "town")), Self.withHome) == [])
        #expect(Self.titles(of: Self.event(Self.visit()), Self.withHome) == [])
        #expect(Self.titles(of: Self.event(.deviceStale), Self.withHome) == [])
        let tagged = Self.region("casa", name: "Casa", tags: ["home"])
        #expect(Self.titles(of: Self.entry(tagged), RegionCatalog([tagged])) == ["Jane came home at 08:30"])
        #expect(Self.titles(of: Self.entry(cafe), RegionCatalog([tagged, cafe])) == [])

        let depot = Self.region("depot")
        #expect(Self.titles(of: Self.entry(depot), Self.withoutHome) == ["Jane arrived at depot at 08:30"])
        #expect(Self.titles(of: Self.event(Self.visit()), Self.withoutHome) == [])
    }

    @Test("an endpoint that names events or regions gets these, and a webhook all")
    func explicitChoice() {
        let cafe = Self.region("cafe", name: "Café")
        let arrived = ["Jane arrived at Café at 08:30"]
        #expect(Self.titles(of: Self.entry(cafe), Self.withHome) { $0.regions = [GlobPattern("ca*")] } == arrived)
        #expect(Self.titles(of: Self.entry(cafe), Self.withHome) { $0.events = [GlobPattern("region.*")] } == arrived)
        #expect(
            Self.titles(of: Self.event(Self.visit()), Self.withHome) { $0.events = [GlobPattern("visit.*")] }.count == 1
        )
        #expect(Self.titles(of: Self.event(.deviceStale), Self.withHome) { $0.events = [GlobPattern("*")] }.count == 1)
        #expect(Self.titles(of: Self.event(.deviceStale), Self.withHome, kind: .webhook).count == 1)
        #expect(Self.titles(of: Self.entry(cafe), Self.withHome, kind: .webhook).count == 1)
        let launch = Self.event(.appRelaunched(AppSummary(id: "diary", name: "Diary")))
        #expect(Self.titles(of: launch, Self.withHome) == [])
        #expect(Self.titles(of: launch, Self.withHome) { $0.apps = ["diary"] } == ["Diary was relaunched for Jane"])
    }

    @Test("a visit has the name of its smallest region, and who was there before is there")
    func names() {
        let both = Self.event(Self.visit("town", "cafe"))
        #expect(
            Self.titles(of: both, Self.withHome) { $0.events = [GlobPattern("*")] } == ["Jane arrived at Café at 08:30"]
        )
        let unknown = Self.event(Self.visit("gone"))
        #expect(
            Self.titles(of: unknown, Self.withHome) { $0.events = [GlobPattern("*")] } == [
                "Jane arrived at gone at 08:30"
            ])
        let home = RegionSummary(Self.region("h-2", name: "Home"))
        #expect(
            Self.titles(of: Self.event(.regionEntered(home), isCrossing: false), Self.withHome) == ["Jane is home"])
        let gone = Self.event(.regionExited(home, reason: .deleted), isCrossing: false)
        #expect(Self.titles(of: gone, Self.withHome) == [])
        #expect(Self.titles(of: gone, Self.withHome, kind: .webhook).count == 1)
    }

    @Test("a webhook gets the same bytes whether or not the regions are known")
    func webhookBytes() {
        var endpoint = Endpoint.test()
        let visit = Self.event(Self.visit("town", "cafe"))
        for kind in [Endpoint.Kind.webhook, .mqtt] {
            endpoint.kind = kind
            let bodies = [Self.withHome, RegionCatalog()].map { regions in
                EndpointRoster([endpoint], regions: { regions })
                    .messages(for: Self.stored(visit)).map(\.body)
            }
            #expect(bodies[0] == bodies[1] && bodies[0].count == 1)
            #expect(!bodies[0][0].contains("places") && !bodies[0][0].contains("crossing"))
        }
    }

    @Test("a preview has one message for each fact, about a home or a region that the endpoint names")
    func previews() {
        func titles(_ regions: RegionCatalog, _ change: (inout Endpoint) -> Void = { _ in }) -> [String] {
            var endpoint = Endpoint.test()
            endpoint.kind = .ntfy
            endpoint.people.timeZone = "UTC"
            change(&endpoint)
            return MessageSamples.previews(of: endpoint, at: Self.start, regions: regions).map(\.title)
        }
        #expect(titles(Self.withHome) == ["Jane came home at 08:30", "Jane left home at 08:30"])
        #expect(titles(RegionCatalog()) == ["Jane came home at 08:30", "Jane left home at 08:30"])
        #expect(titles(Self.withoutHome) == ["Jane arrived at depot at 08:30", "Jane left depot at 08:30"])
        #expect(
            titles(Self.withHome) { ($0.events, $0.regions) = ([GlobPattern("visit.arrived")], [GlobPattern("cafe")]) }
                == ["Jane arrived at Café at 08:30"])
        #expect(titles(Self.withHome) { $0.kind = .webhook } == [])
    }

    // MARK: One message for one fact

    struct Report {
        var isVisit, isArrival: Bool
        var at, detectedAt: Int
        /// Of the departure of a visit.
        var arrival: Int?
        var isCrossing = true
    }

    /// Sends the reports of one device in the order of detection, and returns which of them are sent.
    static func sent(_ reports: [Report], regions: [String] = ["home"], _ change: (inout Endpoint) -> Void = { _ in })
        -> [Report]
    {
        var endpoint = Endpoint.test()
        endpoint.kind = .ntfy
        change(&endpoint)
        var gate = MessageGate(endpoint)
        return reports.sorted { $0.detectedAt < $1.detectedAt }.filter { report in
            let type: EventType =
                switch (report.isVisit, report.isArrival) {
                case (false, true): .regionEntered
                case (false, false): .regionExited
                case (true, true): .visitArrived
                case (true, false): .visitDeparted
                }
            let named = regions.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let arrival = report.arrival.map { (start + .seconds(Int64($0))).rfc3339 }
            let visit = arrival.map { #","visit":{"arrival":"\#($0)"}"# } ?? ""
            let now = start + .seconds(Int64(report.detectedAt))
            var delivery = PendingDelivery(
                id: "dlv_\(report.detectedAt)", endpointID: "end_a", eventID: "evt", eventType: type.rawValue,
                deviceID: DeviceID("jane"),
                body: #"{"data":{"places":[\#(named)],"crossing":\#(report.isCrossing)\#(visit)}}"#, headers: [:],
                attempts: 0,
                createdAt: now, due: now)
            delivery.eventTimestamp = start + .seconds(Int64(report.at))
            return gate.decide(delivery, at: now) == .send
        }
    }

    @Test(
        "each arrival and each departure is one message, whichever of crossing and visit knows of it", arguments: 1...40
    )
    func oneFactOneMessage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (reports, expected): ([Report], [(isArrival: Bool, at: Int)]) = ([], [])
        var moment = 0
        for _ in 0..<50 {
            // Visits do not overlap, so the next arrival comes after the departure that is known late.
            let arrival = moment + Int.random(in: 5000...20_000, using: &random)
            let departure = arrival + Int.random(in: 900...30_000, using: &random)
            let (crosses, stays) = (Bool.random(using: &random), Bool.random(using: &random))
            func jitter(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }
            if crosses {
                reports.append(Report(isVisit: false, isArrival: true, at: arrival, detectedAt: arrival + jitter(300)))
                reports.append(
                    Report(isVisit: false, isArrival: false, at: departure, detectedAt: departure + jitter(500)))
            }
            if stays {
                reports.append(
                    Report(isVisit: true, isArrival: true, at: arrival + jitter(60), detectedAt: arrival + 480))
                // Where a crossing was seen, the visit may know of the departure much later.
                let late = crosses ? departure + jitter(4000) : departure - jitter(60)
                reports.append(
                    Report(
                        isVisit: true, isArrival: false, at: late, detectedAt: max(late, departure) + jitter(500),
                        arrival: arrival))
            }
            if crosses || stays { expected += [(true, arrival), (false, departure)] }
            moment = departure
        }
        let sent = Self.sent(reports)
        #expect(sent.map(\.isArrival) == expected.map(\.isArrival))
        // A visit that is sent was known before the crossing, which is known after 500 seconds at the latest.
        #expect(zip(sent, expected).allSatisfy { abs($0.at - $1.at) <= 500 })
    }

    @Test("a stay inside of a region that somebody is in is no arrival, and its end no departure")
    func stayInside() {
        let entry = Report(isVisit: false, isArrival: true, at: 0, detectedAt: 10)
        let lunch = [
            Report(isVisit: true, isArrival: true, at: 10_000, detectedAt: 10_480),
            Report(isVisit: true, isArrival: false, at: 12_000, detectedAt: 12_060),
        ]
        #expect(Self.sent([entry] + lunch).count == 1)
        // Without exits nothing else says that somebody has left.
        #expect(
            Self.sent([entry] + lunch) { $0.events = [GlobPattern("region.entered"), GlobPattern("visit.*")] }.count
                == 2)
        #expect(Self.sent(lunch) { $0.events = [GlobPattern("visit.*")] }.count == 2)
    }

    @Test("who was said to be there is not named again when that is only known again")
    func there() {
        let visit = Report(isVisit: true, isArrival: true, at: 0, detectedAt: 480)
        let found = Report(isVisit: false, isArrival: true, at: 7200, detectedAt: 7200, isCrossing: false)
        #expect(Self.sent([visit, found]).map(\.isVisit) == [true])
        #expect(Self.sent([found]).count == 1)
    }

    @Test("an entry is sent although the exit before it never was: the endpoint may have been disabled")
    func exitLost() {
        let first = Report(isVisit: false, isArrival: true, at: 0, detectedAt: 10)
        let later = Report(isVisit: false, isArrival: true, at: 90_000, detectedAt: 90_010)
        #expect(Self.sent([first, later]).count == 2)
        let visit = Report(isVisit: true, isArrival: true, at: 0, detectedAt: 480)
        #expect(Self.sent([visit, later]).count == 2)
    }

    @Test("what was said is kept over a restart, in the endpoint's health")
    func restart() throws {
        let fact = SentFacts.Fact(
            device: "jane", regions: ["home"], isInside: true, isVisit: false, at: Self.start)
        var endpoint = Endpoint.test()
        endpoint.kind = .ntfy
        var sent = SentFacts(endpoint)
        sent.note(fact)
        var health = EndpointHealth()
        health.sentFacts = sent.facts
        #expect(health.isWorthWriting(after: EndpointHealth()))
        var visit = fact
        (visit.isVisit, visit.at) = (true, fact.at + .seconds(30))
        #expect(SentFacts(endpoint, facts: health.sentFacts ?? [:]).contain(visit))
        #expect(!SentFacts(endpoint).contain(visit))
    }

    @Test("as many facts are kept as the gate keeps messages, the latest ones")
    func limit() {
        var endpoint = Endpoint.test()
        endpoint.kind = .ntfy
        var sent = SentFacts(endpoint)
        for number in 0..<(MessageGate.largestMemory + 10) {
            sent.note(
                SentFacts.Fact(
                    device: "d\(number)", regions: ["home"], isInside: true, isVisit: false,
                    at: Self.start + .seconds(Int64(number))))
        }
        #expect(sent.facts.count == MessageGate.largestMemory)
        #expect(!sent.facts.keys.contains("d9\u{1F}home") && sent.facts.keys.contains("d10\u{1F}home"))
    }
}
