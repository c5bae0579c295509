import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import Testing

/// Phones whose truth is made up, and what their scores have to be, computed by hand.
@Suite("The score of phones") struct PhoneScoreTests {
    private static let start = Timestamp(seconds: 1_772_353_800)

    private static func time(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

    private static func span(_ range: ClosedRange<Int>) -> TimeSpan {
        TimeSpan(time(range.lowerBound), time(range.upperBound))
    }

    /// A phone with a fix every minute, all at one position.
    private static func phone(
        _ device: String, _ system: String, until end: Int, _ intervals: [PhoneCase.Interval]
    ) -> PhoneCase {
        let fixes = stride(from: 0, through: end, by: 60).map { seconds in
            Location(
                deviceID: DeviceID(device), timestamp: time(seconds),
                coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 10)
        }
        return PhoneCase(device: DeviceID(device), group: .days, system: system, fixes: fixes, intervals: intervals)
    }

    private static func stay(_ start: Int?, _ end: Int?) -> PhoneStay {
        PhoneStay(start: start.map(time), end: end.map(time))
    }

    // MARK: Stays

    /// Four required stays: the second is split, the third missed, and a way has a false stay.
    private static let day = phone(
        "day", "ios", until: 20_000,
        [
            .init(span(0...3600), .stay), .init(span(3600...4800), .move), .init(span(4800...9600), .stay),
            .init(span(9600...10_200), .wait), .init(span(10_200...11_400), .move),
            .init(span(11_400...15_000), .stay), .init(span(15_000...16_200), .move),
            .init(span(16_200...20_000), .stay),
        ])

    private static let dayStays = [
        stay(nil, 3700), stay(4700, 6800), stay(7000, 9650), stay(9700, 10_190), stay(10_250, 11_000),
        stay(15_100, 15_300), stay(16_300, nil),
    ]

    /// One required stay, a short one, and one that the fixes do not show for ten minutes.
    private static let short = phone(
        "short", "android", until: 4300,
        [
            .init(span(0...1000), .stay), .init(span(1000...2200), .move), .init(span(2200...2700), .stay),
            .init(span(2700...3900), .move), .init(span(3900...9000), .stay),
        ])

    @Test("counts found, missed, false and split stays, and leaves out those that are neither right nor wrong")
    func stays() {
        let score = PhoneStayScore([Self.day.device: Self.dayStays], of: [Self.day])
        #expect((score.phones, score.required, score.found, score.missed) == (1, 4, 3, 1))
        #expect((score.spurious, score.splits) == (2, 1))
        #expect(score.f1 == 6.0 / 9)
        // The log begins and ends in a stay: those ends are not known.
        #expect(score.arrivalErrors.sorted() == [100, 2200])
        #expect(score.departureErrors.sorted() == [50, 100])
        #expect(score.arrivalError(0.5) == 2200)
        #expect(score.departureError(0.4) == 50)
    }

    @Test("neither asks for a short stay, or one that no fix shows, nor counts one there as false")
    func shortStays() {
        let score = PhoneStayScore(
            [Self.short.device: [Self.stay(nil, 1000), Self.stay(2210, 2695), Self.stay(3950, 4500)]], of: [Self.short])
        #expect((score.required, score.found, score.spurious) == (1, 1, 0))
        #expect(score.f1 == 1)
        let empty = PhoneStayScore([:], of: [Self.short])
        #expect((empty.required, empty.found, empty.f1) == (1, 0, 0))
        #expect(empty.arrivalError(0.5) == nil)
    }

    @Test("of several phones is that of all their stays, and names the worst phone")
    func worstPhone() throws {
        let stays = [Self.day.device: Self.dayStays, Self.short.device: [Self.stay(nil, 1000)]]
        let score = PhoneStayScore(stays, of: [Self.short, Self.day])
        #expect((score.phones, score.required, score.found, score.spurious) == (2, 5, 4, 2))
        #expect(score.f1 == 8.0 / 11)
        let worst = try #require(score.worst)
        #expect((worst.device, worst.missed, worst.spurious) == (Self.day.device, 1, 2))
    }

    @Test("has an open stay end with the log, and a stay across two logged ones found once")
    func openStay() {
        let open = PhoneStayScore([Self.day.device: [Self.stay(nil, nil)]], of: [Self.day])
        #expect((open.found, open.missed, open.spurious) == (1, 3, 0))
        #expect(open.departureErrors == [10_400])
    }

    @Test("keeps a fix in so many seconds")
    func thinned() {
        let thinned = Self.short.thinned(to: 150).fixes.map { ($0.timestamp - Self.start).seconds }
        #expect(Array(thinned.prefix(3)) == [0, 180, 360])
        #expect(Self.short.thinned(to: 60).fixes.count == Self.short.fixes.count)
    }

    // MARK: Legs and days

    /// A walk to the north at 1.4 m/s between two stays of 20 minutes, with a fix every ten seconds.
    private static func walk(_ device: String) -> [Location] {
        (0...360).map { index in
            let seconds = index * 10
            let meters = 1.4 * Double(min(max(seconds - 1200, 0), 1200))
            return Location(
                deviceID: DeviceID(device), timestamp: time(seconds),
                coordinate: Coordinate(latitude: 45 + meters / 111_195, longitude: 7), horizontalAccuracy: 5)
        }
    }

    private static func leg(_ device: String, _ mode: TravelMode, _ logged: String, length: Double?) throws -> (
        leg: PhoneLeg, trips: [Trip]
    ) {
        let fixes = Array(walk(device)[120...240])
        let leg = PhoneLeg(
            device: DeviceID(device), mode: mode, loggedMode: logged, route: "to \(device)", length: length,
            fixes: fixes)
        return (leg, try PhoneEvaluation.trips(of: fixes))
    }

    @Test("counts the modes of legs by class and by their name in the log, and the signed errors of known lengths")
    func legs() throws {
        let score = PhoneLegScore([
            try Self.leg("a", .walking, "WALKING", length: 1680), try Self.leg("b", .walking, "WALKING", length: 840),
            try Self.leg("c", .rail, "LIGHT_RAIL", length: 3360), try Self.leg("d", .rail, "TRAIN", length: nil),
            (leg: try Self.leg("e", .walking, "WALKING", length: 1680).leg, trips: []),
        ])
        #expect((score.all.right, score.all.legs) == (2, 5))
        #expect((score.modes[.walking]?.right, score.modes[.walking]?.legs) == (2, 3))
        #expect((score.modes[.rail]?.right, score.modes[.rail]?.legs) == (0, 2))
        #expect(abs(score.meanOfModes - 1.0 / 3) < 1e-9)
        let worst = try #require(score.worstMode)
        #expect((worst.name, worst.count.right, worst.count.legs) == ("LIGHT_RAIL", 0, 1))
        // As long as the truth, twice as long, and half as long, but for the smoothing of the ends.
        let errors = score.lengths.errors
        #expect(errors.count == 3)
        for (error, expected) in zip(errors, [0, 1, -0.5]) { #expect(abs(error - expected) < 0.05, "\(error)") }
        #expect(score.lengths.bias == errors[0])
        #expect(score.lengths.error(1) == errors[1])
        #expect(score.worstRoute(of: "WALKING")?.name == "to b")
        #expect(score.lengthsByMode["TRAIN"] == nil)
    }

    @Test("measures the time of logged legs that has the right mode")
    func days() throws {
        let fixes = Self.walk("a")
        let trips = try PhoneEvaluation.trips(of: fixes)
        func score(_ mode: TravelMode?, isTravel: Bool = true) -> PhoneDayScore {
            let phone = PhoneCase(
                device: DeviceID("a"), group: .days, system: "ios", fixes: fixes,
                intervals: [
                    .init(Self.span(0...1200), .stay),
                    .init(Self.span(1200...2400), .move, mode: mode, isTravel: isTravel),
                    .init(Self.span(2400...3600), .stay),
                ])
            return PhoneDayScore([(phone: phone, trips: trips)])
        }
        let walked = score(.walking)
        #expect((walked.phones, walked.all.seconds) == (1, 1200))
        #expect(walked.all.fraction > 0.8)
        #expect(walked.modes.keys.sorted { $0.rawValue < $1.rawValue } == [.walking])
        #expect(walked.worst?.fraction == walked.all.fraction)
        #expect(score(.driving).all.fraction == 0)
        #expect(score(.walking, isTravel: false).all.seconds == 0)
        #expect(score(nil).phones == 0)
    }

    // MARK: Places

    private static let places = """
        {"places": [{"id": "p-0", "name": "P", "coordinates":
            [[[-0.001, -0.001], [0.001, -0.001], [0.001, 0.001], [-0.001, 0.001], [-0.001, -0.001]]]}],
         "legs": {"t|t": {"end_loc": [[0, 9e12, "P", "p-0"]]}, "t|walk": {"loc": [[0, 9e12, "P", "p-0"]]},
                  "u|u": {"start_loc": [[0, 9e12, "P", "p-0"]], "end_loc": [[0, 1000, "P", "p-0"]]}}}
        """

    private static func visitor(_ device: String) -> PhoneCase {
        var phone = phone(
            device, "ios", until: 15_000,
            [
                .init(span(0...600), .stay), .init(span(600...1800), .move, leg: .init(trip: "t", leg: "whole")),
                .init(span(1800...1860), .wait, leg: .init(trip: "t", leg: "walk")),
                .init(span(1860...7200), .stay),
                .init(span(7200...8400), .move, leg: .init(trip: "u", leg: "u")),
                .init(span(8400...10_000), .stay),
                .init(span(10_000...14_000), .move, leg: .init(trip: "v", leg: "v")),
                .init(span(14_000...15_000), .stay),
            ])
        for index in phone.fixes.indices where !(1800...7200).contains(index * 60) {
            phone.fixes[index].coordinate.latitude = 0.1
        }
        return phone
    }

    private static func event(_ isEntry: Bool, _ device: String, at seconds: Int, detected: Int) -> Event {
        let region = RegionSummary(
            Region(
                id: RegionID("p-0"),
                shape: .circle(Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 100))))
        return Event(
            id: "e\(seconds)", sequence: 1, deviceID: DeviceID(device),
            occurrence: isEntry ? .regionEntered(region) : .regionExited(region, reason: nil),
            timestamp: time(seconds), detectedAt: time(detected))
    }

    @Test("counts presences, flaps, false presences and late reports at a place")
    func presences() throws {
        let places = try PhonePlaces(reading: Self.places.utf8, file: "places.json")
        let events = [
            Self.event(true, "a", at: 1900, detected: 1950), Self.event(false, "a", at: 3000, detected: 3010),
            Self.event(true, "a", at: 3100, detected: 3110), Self.event(false, "a", at: 7300, detected: 7600),
            Self.event(true, "a", at: 11_000, detected: 11_000), Self.event(false, "a", at: 12_000, detected: 12_000),
        ]
        let score = PhonePlaceScore(events, of: [Self.visitor("a"), Self.visitor("b")], at: places)
        #expect((score.events, score.required, score.found) == (6, 2, 1))
        #expect((score.shown, score.shownFound) == (2, 1))
        #expect((score.flaps, score.spurious) == (1, 1))
        #expect((score.entryDelays, score.lateEntries) == ([150], 1))
        #expect((score.exitDelays, score.lateExits) == ([400], 1))
        let worst = try #require(score.worst)
        #expect((worst.name, worst.losses) == ("P", 3))
    }

    @Test("takes a presence without an exit as one that is reported late, with the last fix")
    func neverLeft() throws {
        let places = try PhonePlaces(reading: Self.places.utf8, file: "places.json")
        let score = PhonePlaceScore(
            [Self.event(true, "a", at: 1700, detected: 1850)], of: [Self.visitor("a")], at: places)
        #expect((score.found, score.lateEntries, score.flaps, score.spurious) == (1, 0, 0, 0))
        #expect((score.exitDelays, score.lateExits) == ([7800], 1))
    }

    @Test("watches the polygons of the places themselves")
    func watched() throws {
        let places = try PhonePlaces(reading: Self.places.utf8, file: "places.json")
        var settings = MonitorSettings()
        settings.visits = nil
        let phone = Self.visitor("a")
        let events = try PhoneEvaluation.events(of: phone.fixes, places.regions, settings)
        let score = PhonePlaceScore(events, of: [phone], at: places)
        #expect((score.required, score.found, score.flaps, score.spurious) == (1, 1, 0, 0))
    }

    @Test("is printed with the worst phone and the worst place next to the means")
    func tables() throws {
        var scoreboard = Scoreboard()
        scoreboard.addPhoneStays("Stays", [("all", PhoneStayScore([Self.day.device: Self.dayStays], of: [Self.day]))])
        let row = try #require(scoreboard.text.split(separator: "\n").last)
        let cells = row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            cells == [
                "all", "1", "4", "0.667", "1", "2", "1", "2200 s", "2200 s", "2200 s", "100 s", "100 s", "100 s",
                "day 1 missed, 2 false",
            ])
        var lengths = Scoreboard()
        lengths.addPhoneLengths(
            "Lengths", PhoneLegScore([try Self.leg("a", .walking, "WALKING", length: 3360)]))
        #expect(lengths.text.contains("to a −"))
    }
}
