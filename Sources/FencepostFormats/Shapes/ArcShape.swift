internal import FencepostJSON
internal import FencepostModel

/// Decodes the JSON of Arc Timeline: the samples of its timeline items and the visits among them, or an array of samples alone, as
/// of its weekly files.
///
/// A sample without a location, as while the phone sleeps, is ignored. Items without samples, as of exports without them, have visits
/// alone.
struct ArcShape: DocumentShape {
    static let arrays: Set<String> = ["timelineItems", "samples"]

    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        if array == "samples" || element["sampleId"] != nil { return try take(sample: element, into: &sink) }
        guard element.object != nil else { throw Rejection(.invalidShape, "the timeline item is not a JSON object") }
        if element["isVisit"]?.bool == true { try take(visit: element, into: &sink) }
        for sample in element["samples"]?.array.map(Array.init) ?? [] {
            do throws(Rejection) {
                try take(sample: sample, into: &sink)
            } catch {
                sink.append(error)
            }
        }
    }

    mutating func take(member name: String, _ value: JSONElement) {}

    func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        guard hasArrays else {
            throw Rejection(.invalidShape, "the document has neither timelineItems nor samples of Arc Timeline")
        }
    }

    private func take(visit element: JSONElement, into sink: inout RecordSink) throws(Rejection) {
        // One that has no centre yet has its samples.
        guard let center = element["center"], !center.isNull else { return }
        try sink.append(
            visit: center.number("latitude"), center.number("longitude"),
            arrival: element.value("startDate")?.time ?? .absent, departure: element.value("endDate")?.time ?? .absent,
            name: element["place"]?["name"]?.string)
    }

    private func take(sample: JSONElement, into sink: inout RecordSink) throws(Rejection) {
        guard sample.object != nil else { throw Rejection(.invalidShape, "the sample is not a JSON object") }
        guard let location = sample["location"], !location.isNull, sample["locationIsBogus"]?.bool != true else {
            return
        }
        var raw = RawFix()
        raw.time = (location.value("timestamp") ?? sample.value("date"))?.time ?? .absent
        raw.latitude = try location.number("latitude")
        raw.longitude = try location.number("longitude")
        raw.horizontalAccuracy = try location.number("horizontalAccuracy")
        raw.altitude = try location.number("altitude")
        raw.verticalAccuracy = try location.number("verticalAccuracy")
        raw.speed = try location.number("speed")
        raw.course = try location.number("course")
        raw.source = "arc"
        sink.append(raw)
    }
}
