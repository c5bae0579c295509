import FencepostModel
import FencepostService

/// What events of rounds have besides those of other types.
extension EventWriter {
    mutating func append(_ report: PlanReport) {
        bytes.append(text: report.plan)
        append(optional: report.name)
        bytes.append(signed: Int64(report.day))
        bytes.append(UInt64(max(report.count, 0)))
        switch report.kind {
        case .visited, .late, .missed: break
        case .completed(let summary):
            for number in [summary.visited, summary.late, summary.missed] { bytes.append(signed: Int64(number)) }
            bytes.append(byte: Self.code(summary.isInOrder))
        }
        bytes.append(byte: report.stop == nil ? 0 : 1)
        guard let stop = report.stop else { return }
        append(stop.region)
        bytes.append(signed: Int64(stop.number))
        append(stop.start)
        append(stop.end)
        append(stop.stay)
        append(optional: stop.arrival)
        bytes.append(byte: Self.code(stop.isInOrder))
    }

    private static func code(_ flag: Bool?) -> UInt8 { flag.map { $0 ? 2 : 1 } ?? 0 }
}

extension EventReader {
    mutating func plan(_ kind: (inout Self) throws(CodecError) -> PlanReport.Kind) throws(CodecError) -> Occurrence {
        let (id, name, day, count) = (try bytes.text(), try optionalText(), try integer(), try bytes.number())
        let found = try kind(&self)
        var stop: PlanReport.Stop?
        if try isThere() {
            let (region, number, start, end) = (try region(), try integer(), try time(), try time())
            var place = PlanReport.Stop(number, region, start: start, end: end, stay: try duration())
            (place.arrival, place.isInOrder) = (try optionalTime(), try optionalFlag())
            stop = place
        }
        return .plan(PlanReport(found, plan: id, name: name, day: day, count: Int(clamping: count), stop))
    }

    mutating func planSummary() throws(CodecError) -> PlanSummary {
        let (visited, late, missed) = (try integer(), try integer(), try integer())
        return PlanSummary(visited: visited, late: late, missed: missed, isInOrder: try optionalFlag())
    }

    mutating func optionalFlag() throws(CodecError) -> Bool? {
        switch try bytes.byte() {
        case 0: return nil
        case 1: return false
        case 2: return true
        default: throw CodecError("a mark is not known")
        }
    }
}
