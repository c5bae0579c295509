/// A latitude or longitude as people write it: with a letter of its hemisphere, in degrees, or with minutes and seconds.
enum CSVAngle {
    /// Parses a text that is not a plain number.
    ///
    /// - Parameters:
    ///   - text: without surrounding white space: `48.137 N`, `N48° 8.22'`, `48°08'13.2"N`, `-33 26 12`.
    ///   - isLatitude: whether the letters are N and S, not E and W.
    /// - Returns: degrees, negative in the south and west.
    /// - Throws: the reason why it is not such an angle.
    static func degrees(_ text: String, isLatitude: Bool) throws(Rejection) -> Double {
        let name = isLatitude ? "latitude" : "longitude"
        func refusal(_ reason: String) -> Rejection {
            Rejection(.invalidNumber, "the \(name) \(RawTime.quoted(text.utf8)) \(reason)")
        }
        // Seconds may be two signs for minutes.
        var rest = text.replacing("''", with: "\"")[...]
        var letter: Character?
        if let last = rest.last, "NSEWnsew".contains(last) {
            letter = rest.removeLast()
        } else if let first = rest.first, "NSEWnsew".contains(first) {
            letter = rest.removeFirst()
        }
        var sign = 1.0
        while rest.first == " " { rest.removeFirst() }
        let isSigned = rest.first.map { "+-\u{2212}".contains($0) } ?? false
        if isSigned { sign = rest.removeFirst() == "+" ? 1 : -1 }
        if let letter {
            guard isLatitude == "NSns".contains(letter) else { throw refusal("has the letter of the other coordinate") }
            guard !isSigned else { throw refusal("has a sign and a letter: use one of them") }
            sign = "SWsw".contains(letter) ? -1 : 1
        }
        let numbers = try parts(of: rest, refusal)
        return sign
            * (numbers[0] + (numbers.count > 1 ? numbers[1] / 60 : 0) + (numbers.count > 2 ? numbers[2] / 3600 : 0))
    }

    /// Degrees, minutes and seconds; the last one may have a fraction.
    private static func parts(of text: Substring, _ refusal: (String) -> Rejection) throws(Rejection) -> [Double] {
        let units: [Set<Character>] = [["°", "º", "˚", "d", ":"], ["'", "′", "’", "m", ":"], ["\"", "″", "”", "s"]]
        var numbers: [Double] = []
        var rest = text
        while true {
            while rest.first == " " { rest.removeFirst() }
            if rest.isEmpty { break }
            let digits = rest.prefix { $0.isNumber || $0 == "." || $0 == "," }
            guard numbers.count < 3, let number = DecimalNumber.parse(digits.replacing(",", with: ".")) else {
                throw refusal("is not a number")
            }
            guard numbers.last.map({ $0 == $0.rounded(.down) }) ?? true else {
                throw refusal("has a fraction before its last part")
            }
            guard numbers.isEmpty || number < 60 else { throw refusal("has minutes or seconds that are not below 60") }
            rest = rest.dropFirst(digits.count)
            while rest.first == " " { rest.removeFirst() }
            if let mark = rest.first, !mark.isNumber {
                guard units[numbers.count].contains(mark) else { throw refusal("is not a number") }
                rest.removeFirst()
            }
            numbers.append(number)
        }
        guard !numbers.isEmpty else { throw refusal("is not a number") }
        return numbers
    }
}
