/// Lengths as texts: a number with a unit, as tables and other programs write them.
package enum LengthText {
    /// What follows a number or the name of a length, in lower case, and its metres.
    package static let factors: [String: Double] = [
        "": 1, "m": 1, "meter": 1, "meters": 1, "metre": 1, "metres": 1, "inm": 1, "inmeters": 1, "inmetres": 1,
        "km": 1000, "inkm": 1000, "kilometers": 1000, "kilometres": 1000, "ft": 0.3048, "feet": 0.3048,
        "infeet": 0.3048, "mi": 1609.344, "miles": 1609.344,
    ]

    /// A text as the characters of its number, and the metres of its unit; `nil` for an unknown unit.
    package static func parts(of text: String) -> (number: Substring, factor: Double)? {
        let number = text.drop(while: \.isWhitespace).prefix { $0.isNumber || "+-.,eE".contains($0) }
        let unit = text[number.endIndex...].filter { !$0.isWhitespace }.lowercased()
        return factors[unit].map { (number, $0) }
    }
}
