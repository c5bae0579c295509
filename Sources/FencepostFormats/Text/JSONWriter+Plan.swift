public import FencepostJSON
public import FencepostModel

extension JSONWriter {
    /// Writes what an event says of a round, without the region of the place.
    public mutating func value(_ report: PlanReport) {
        beginObject()
        member("id", report.plan)
        if let name = report.name { member("name", name) }
        member("date", Timestamp.date(day: report.day))
        name("places")
        value(report.count)
        if let stop = report.stop {
            name("place")
            value(stop.number)
            member("from", stop.start)
            member("to", stop.end)
            if stop.stay > .zero { member("stay", stop.stay.seconds) }
            member("arrival", stop.arrival)
            if let isInOrder = stop.isInOrder {
                name("inOrder")
                value(isInOrder)
            }
        }
        if case .completed(let summary) = report.kind {
            name("visited")
            value(summary.visited)
            name("late")
            value(summary.late)
            name("missed")
            value(summary.missed)
            if let isInOrder = summary.isInOrder {
                name("inOrder")
                value(isInOrder)
            }
        }
        endObject()
    }
}
