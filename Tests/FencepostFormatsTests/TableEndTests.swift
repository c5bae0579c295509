import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

/// Each value of a table at its ends, in the dialect of each program.
@Suite("A value at its ends in a table") struct TableEndTests {
    private static let values =
        ValueEnds.numbers + ValueEnds.words + ValueEnds.times + ["1e19x", "12345.5", "9999", "-00"]

    @Test("ends nothing, and is a location on earth or refused by its line", arguments: Dialect.all)
    func ends(_ dialect: Dialect) throws {
        let fixes = DialectFix.walk(seed: 1, from: (48_208_174, 16_373_819), count: Self.values.count)
        let values = Dictionary(uniqueKeysWithValues: zip(fixes.map(\.time), Self.values))
        for index in dialect.columns.indices {
            var changed = dialect
            let column = dialect.columns[index]
            changed.columns[index] = Dialect.Column(column.heading, column.field) { values[$0.time] ?? "" }
            let reading = try Reading(changed.bytes(of: fixes), name: "track.csv")
            for location in reading.locations {
                #expect(location.coordinate.isValid, "\(column.heading): \(location)")
                #expect(location.altitude.map { $0.magnitude <= 1e8 } ?? true, "\(column.heading): \(location)")
                #expect(
                    location.horizontalAccuracy.map { (0...2e7).contains($0) } ?? true, "\(column.heading): \(location)"
                )
            }
            #expect(reading.rejections.allSatisfy { !$0.message.isEmpty })
        }
    }
}
