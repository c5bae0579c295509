import FencepostGeometry
import Testing

@Suite("Clamped numbers") struct ClampedNumberTests {
    private static let numbers = [
        Double.nan, .infinity, -.infinity, 0, -0.0, 1.9, -1.9, 127, 128, -128, -129, 0x1p53, 0x1p63, -0x1p63, 0x1p64,
        1e19,
        -1e19, 1e300, -1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]

    /// The plain statement of the rule.
    private func clamped<Number: FixedWidthInteger>(_ number: Double, _: Number.Type) -> Number {
        if number.isNaN { return 0 }
        if let exact = Number(exactly: number.rounded(.towardZero)) { return exact }
        return number < 0 ? .min : .max
    }

    @Test("rounds any number to an integer of any type", arguments: numbers) func conversions(number: Double) {
        #expect(Int64(clamped: number) == clamped(number, Int64.self))
        #expect(Int(clamped: number) == clamped(number, Int.self))
        #expect(Int8(clamped: number) == clamped(number, Int8.self))
        #expect(UInt8(clamped: number) == clamped(number, UInt8.self))
        #expect(UInt16(clamped: number) == clamped(number, UInt16.self))
        #expect(UInt64(clamped: number) == clamped(number, UInt64.self))
    }

    @Test("ends sums, differences and products at the ends of the type") func sums() {
        #expect(Int64.max.addingClamped(1) == .max && Int64.min.addingClamped(-1) == .min)
        #expect(Int64.min.subtractingClamped(1) == .min && Int64.max.subtractingClamped(-1) == .max)
        #expect(Int64.max.multipliedClamped(by: -2) == .min && Int64.min.multipliedClamped(by: -1) == .max)
        #expect(2.addingClamped(3) == 5 && 2.subtractingClamped(3) == -1 && 2.multipliedClamped(by: -3) == -6)
        #expect(UInt8(3).subtractingClamped(4) == 0 && UInt8(200).addingClamped(100) == 255)
    }

    @Test("bounds any number", arguments: numbers) func bounds(number: Double) {
        let bounded = number.bounded(by: 1e15)
        #expect(bounded.magnitude <= 1e15)
        #expect(number.magnitude > 1e15 || number.isNaN || bounded == number)
    }
}
