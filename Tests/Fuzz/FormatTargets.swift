import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel

/// The reader of a location format by the format's name.
func formatTarget(_ name: String) -> Target? {
    guard let format = LocationFormat(rawValue: name) else { return nil }
    return { readLocations(format, $0) }
}

private func readLocations(_ format: LocationFormat, _ bytes: [UInt8]) {
    let whole = read(format, bytes, maximumRead: .max)
    for case .location(let location, _) in whole.records {
        precondition(location.coordinate.isValid, "a location is not on the globe")
        precondition(location.horizontalAccuracy.map { $0 >= 0 } ?? true, "an accuracy is negative")
        precondition(location.course.map { (0..<360).contains($0) } ?? true, "a course is not from 0 up to 360")
        var writer = JSONWriter()
        writer.value(location)
        let again = read(.ndjson, writer.bytes, maximumRead: .max).records
        precondition(again == [.location(location, at: .line(1))], "a location is not read as it was written")
    }
    let pieces = read(format, bytes, maximumRead: 1 + bytes.count % 13)
    precondition(whole.records == pieces.records, "the records depend on how the bytes were cut")
    precondition(whole.failure == pieces.failure, "the failure depends on how the bytes were cut")
    if format == .ndjson { readLines(bytes, whole.records) }
}

/// Lines are read by the shape of those before them; a reader that has seen none reads the same.
private func readLines(_ bytes: [UInt8], _ records: [Decoded]) {
    var alone: [Decoded] = []
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
        // Behind the first line of a file a byte order mark is no such mark.
        let isMarked = index > 0 && line.starts(with: [0xEF, 0xBB, 0xBF])
        let text = isMarked ? [0x0A] + line : Array(line)
        for record in read(.ndjson, text, maximumRead: .max).records {
            switch record {
            case .location(let location, _): alone.append(.location(location, at: .line(index + 1)))
            case .rejected(var diagnostic):
                diagnostic.position = .line(index + 1)
                alone.append(.rejected(diagnostic))
            case .reported, .gap: preconditionFailure("a line is a location")
            }
        }
    }
    precondition(records == alone, "a line decoded by its shape differs from the line decoded alone")
}

private func read(
    _ format: LocationFormat, _ bytes: [UInt8], maximumRead: Int
) -> (records: [Decoded], failure: Diagnostic?) {
    var reader = LocationReader(
        ByteSource(bytes: bytes, maximumRead: maximumRead), options: .init(format: format))
    var records: [Decoded] = []
    do {
        while let next = try reader.next() { records += next }
    } catch {
        preconditionFailure("memory cannot fail to be read: \(error)")
    }
    return (records, reader.failure)
}
