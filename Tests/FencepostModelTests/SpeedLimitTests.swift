import FencepostModel
import Testing

@Suite("Speed limits") struct SpeedLimitTests {
    @Test(
        "are read with their unit, and km/h without one",
        arguments: [
            ("80", "80 km/h", 22.2222), ("80 km/h", "80 km/h", 22.2222), ("50 mph", "50 mph", 22.352),
            ("12.5 knots", "12.5 knots", 6.4306), ("3 m/s", "3 m/s", 3),
        ])
    func reads(text: String, description: String, speed: Double) throws {
        let limit = try #require(SpeedLimit(text))
        #expect(limit.description == description && SpeedLimit(description) == limit)
        #expect(abs(limit.metresPerSecond - speed) < 0.0001)
        #expect(limit.inUnit(limit.metresPerSecond) == limit.value)
    }

    @Test(
        "are refused without a number or a known unit",
        arguments: ["", "fast", "50 kph", "0", "-1", "nan", "inf", "1 2 3"])
    func refuses(text: String) {
        #expect(SpeedLimit(text) == nil)
    }
}
