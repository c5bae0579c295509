import FencepostModel
import FencepostTesting
import Foundation
import Testing

/// A fix as a program writes it, with whole values, so that no way of writing loses any of them.
struct DialectFix {
    var time: Timestamp
    /// Millionths of a degree.
    var latitude: Int, longitude: Int
    /// Metres, metres, tenths of metres per second, degrees.
    var accuracy: Int, altitude: Int, speed: Int, course: Int
    var device: String

    /// A walk that follows from the seed, over midnight on the 25th of a month.
    static func walk(seed: UInt64, from start: (latitude: Int, longitude: Int), count: Int = 30) -> [DialectFix] {
        var random = SeededGenerator(seed: seed)
        var (latitude, longitude) = start
        // 2026-03-25T23:50:00Z
        var time = 1_774_482_600
        return (0..<count).map { _ in
            latitude += Int.random(in: -900...900, using: &random)
            longitude += Int.random(in: -900...900, using: &random)
            time += Int.random(in: 20...90, using: &random)
            return DialectFix(
                time: Timestamp(seconds: Int64(time)), latitude: latitude, longitude: longitude,
                accuracy: .random(in: 1...60, using: &random), altitude: .random(in: -20...3000, using: &random),
                speed: .random(in: 0...350, using: &random), course: .random(in: 0..<360, using: &random),
                device: "Jürgen/phone")
        }
    }

    var seconds: Int { Int(time.milliseconds / 1000) }
    /// Year, month, day, hour, minute, second in UTC.
    var parts: (Int, Int, Int, Int, Int, Int) {
        let day = Timestamp.civil(day: seconds / 86_400)
        let rest = seconds % 86_400
        return (day.year, day.month, day.day, rest / 3600, rest / 60 % 60, rest % 60)
    }
    var latitudeText: String { Self.degrees(latitude) }
    var longitudeText: String { Self.degrees(longitude) }

    static func degrees(_ millionths: Int) -> String { String(format: "%.6f", Double(millionths) / 1e6) }

    /// `48°12'29.4564"N`, with the marks given.
    static func minutesAndSeconds(_ millionths: Int, _ letters: (String, String), marks: [String]) -> String {
        let tenThousandths = Int((Double(abs(millionths)) * 3600 / 100).rounded())
        let seconds = Double(tenThousandths % 600_000) / 10_000
        let letter = millionths < 0 ? letters.1 : letters.0
        return "\(tenThousandths / 36_000_000)\(marks[0])\(tenThousandths / 600_000 % 60)\(marks[1])"
            + String(format: "%07.4f", seconds) + marks[2] + letter
    }

    /// `48° 12.49094' N`
    static func decimalMinutes(_ millionths: Int, _ letters: (String, String), before: Bool = false) -> String {
        let letter = millionths < 0 ? letters.1 : letters.0
        let text = String(
            format: "%d° %.6f'", abs(millionths) / 1_000_000, Double(abs(millionths) % 1_000_000) * 60 / 1e6)
        return before ? letter + text : "\(text) \(letter)"
    }
}

/// A way in which a program writes a table of locations.
struct Dialect: CustomTestStringConvertible, Sendable {
    /// What a column carries; columns of other things carry nothing.
    enum Field: Hashable, Sendable { case accuracy, altitude, speed, course, device, none }

    struct Column: Sendable {
        var heading: String
        var field: Field
        var text: @Sendable (DialectFix) -> String

        init(_ heading: String, _ field: Field = .none, _ text: @escaping @Sendable (DialectFix) -> String) {
            (self.heading, self.field, self.text) = (heading, field, text)
        }
    }

    enum Encoding: Sendable { case utf8, utf16LittleEndian, utf16BigEndian, windows1252 }

    var name: String
    var columns: [Column]
    var separator = ","
    var isDecimalComma = false
    var quotesAll = false
    var lineEnding = "\n"
    var hasMark = false
    var encoding = Encoding.utf8
    var lead: [String] = []
    var trail = ""
    /// Lines after each tenth row.
    var between: [String] = []
    var endsWithLine = true

    var testDescription: String { name }
    var fields: Set<Field> { Set(columns.map(\.field)).subtracting([.none]) }

    func bytes(of fixes: [DialectFix]) -> [UInt8] {
        func row(_ values: [String]) -> String {
            values.map { value in
                let isSpecial = value.contains { separator.contains($0) || $0 == "\"" || $0.isNewline }
                return quotesAll || isSpecial ? "\"\(value.replacing("\"", with: "\"\""))\"" : value
            }.joined(separator: separator) + trail
        }
        var lines = lead + [row(columns.map(\.heading))]
        for (index, fix) in fixes.enumerated() {
            if index % 10 == 9 { lines += between }
            lines.append(
                row(
                    columns.map { column in
                        let text = column.text(fix)
                        return isDecimalComma && Double(text) != nil ? text.replacing(".", with: ",") : text
                    }))
        }
        let text = lines.joined(separator: lineEnding) + (endsWithLine ? lineEnding : "")
        return Self.encoded((hasMark ? "\u{FEFF}" : "") + text, encoding)
    }

    static func encoded(_ text: String, _ encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .utf8: Array(text.utf8)
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        // All characters of the tests are below U+0100.
        case .windows1252: text.unicodeScalars.map { UInt8($0.value & 0xFF) }
        }
    }
}
