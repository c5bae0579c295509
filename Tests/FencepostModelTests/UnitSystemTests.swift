import FencepostModel
import Testing

@Suite("Units for people") struct UnitSystemTests {
    @Test("of distances grow with the distance")
    func distances() {
        let metres = [0, 16.4, 321, 999.4, 1000, 2449, 99_940, 99_960, 384_400_000]
        #expect(
            metres.map(UnitSystem.metric.distance) == [
                "0 m", "16 m", "321 m", "999 m", "1.0 km", "2.4 km", "99.9 km", "100 km", "384400 km",
            ])
        #expect(
            metres.map(UnitSystem.imperial.distance) == [
                "0 ft", "54 ft", "1053 ft", "0.6 mi", "0.6 mi", "1.5 mi", "62.1 mi", "62.1 mi", "238855 mi",
            ])
    }

    @Test("of long distances have one decimal")
    func longDistances() {
        #expect(
            UnitSystem.metric.longDistance(340) == "0.3 km" && UnitSystem.metric.longDistance(123_456) == "123.5 km")
        #expect(
            UnitSystem.imperial.longDistance(1609.344) == "1.0 mi"
                && UnitSystem.imperial.longDistance(-160.9344) == "-0.1 mi")
    }

    @Test("of speeds and small lengths are whole numbers")
    func speeds() {
        #expect(UnitSystem.metric.speed(25.5) == "92 km/h" && UnitSystem.imperial.speed(25.5) == "57 mph")
        #expect(UnitSystem.metric.length(1500.6) == "1501 m" && UnitSystem.imperial.length(15.24) == "50 ft")
    }

    @Test("of alerts are those of the rule, unless imperial ones are wanted")
    func alerts() {
        for (value, unit) in [(92.5, "km/h"), (33, "m/s"), (350, "m"), (12, "knots"), (75, "mph"), (60, "s")] {
            let same = UnitSystem.metric.converted(value, from: unit)
            #expect(same.value == value && same.unit == unit)
        }
        let fast = UnitSystem.imperial.converted(120, from: "km/h")
        #expect(fast.value == 74.6 && fast.unit == "mph")
        #expect(UnitSystem.imperial.converted(10, from: "m/s").value == 22.4)
        let far = UnitSystem.imperial.converted(100, from: "m")
        #expect(far.value == 328.1 && far.unit == "ft")
        #expect(UnitSystem.imperial.converted(12, from: "knots").unit == "knots")
    }

    @Test("hold numbers of any size", arguments: [1e308, -1e308, 9.3e18, 1e-308])
    func anySize(number: Double) {
        for units in UnitSystem.allCases {
            let words = [
                units.length(number), units.distance(number), units.longDistance(number), units.speed(number),
                units.converted(number, from: "m").unit,
            ]
            #expect(words.allSatisfy { !$0.isEmpty })
        }
    }
}
