internal import FencepostModel

/// A point of a track in XML, while its elements are read, with the first line of them.
struct XMLTrackPoint {
    var raw = RawFix()
    /// Why it is no location.
    var problem: Rejection?
    var line: Int

    /// The number in a text; `nil` after noting a problem with the element or attribute of that name.
    mutating func number(_ name: String, _ text: some Collection<UInt8>) -> Double? {
        let number = DecimalNumber.parse(text.trimmed)
        if number == nil {
            problem = Rejection(.invalidNumber, "the \(name) \(RawTime.quoted(text)) is not a number")
        }
        return number
    }
}

extension RecordSink {
    /// Adds a point, after a gap where the recording was interrupted before it.
    mutating func append(_ point: XMLTrackPoint, after isInterrupted: inout Bool) {
        if isInterrupted {
            appendGap()
            isInterrupted = false
        }
        append(point.problem.map { .failure($0) } ?? .success(point.raw), line: point.line)
    }
}
