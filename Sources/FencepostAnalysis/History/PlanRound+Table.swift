public import FencepostFormats
import FencepostModel

extension PlanRound {
    /// Rounds as a table with a row for each place, with the columns of the CSV form of their list.
    public static func table(of rounds: [PlanRound]) -> Table {
        Table(
            name: "Rounds",
            columns: [
                "planId", "date", "deviceId", "round", "place", "regionId", "from", "to", "state", "time", "arrival",
                "confidence", "inOrder",
            ],
            rows: rounds.flatMap { round in
                round.stops.map { stop in
                    func time(_ time: Timestamp?) -> Table.Cell { time.map { .text($0.rfc3339) } ?? .empty }
                    return [
                        .text(round.plan), .text(Timestamp.date(day: round.day)), .text(round.deviceID.rawValue),
                        .text(round.state.rawValue), .number(Double(stop.number)), .text(stop.region.rawValue),
                        time(stop.start), time(stop.end), .text(stop.state.rawValue), time(stop.time),
                        time(stop.arrival), stop.confidence.map { .number($0) } ?? .empty,
                        stop.isInOrder.map { .text(String($0)) } ?? .empty,
                    ]
                }
            })
    }

    /// Rounds for people: names with the ids after them, and local times.
    public static func workbookTable(of rounds: [PlanRound], _ wording: Table.Wording) -> Table {
        Table(
            name: "Rounds",
            columns: [
                "Round", "Date", "Device", "Device ID", "Place", "Region", "Region ID", Table.Column("From", .moment),
                Table.Column("To", .moment), "Verdict", Table.Column("Visited", .moment),
                Table.Column("Arrival", .moment), "Confidence", "In order",
            ],
            rows: rounds.flatMap { round in
                round.stops.map { stop in
                    func time(_ time: Timestamp?) -> Table.Cell {
                        time.map { .moment($0, in: wording.zone) } ?? .empty
                    }
                    return [
                        .text(round.name ?? round.plan), .text(Timestamp.date(day: round.day)),
                        .text(wording.devices[round.deviceID] ?? round.deviceID.rawValue),
                        .text(round.deviceID.rawValue), .number(Double(stop.number)),
                        .text(wording.regions[stop.region] ?? stop.region.rawValue), .text(stop.region.rawValue),
                        time(stop.start), time(stop.end), .text(stop.state.rawValue), time(stop.time),
                        time(stop.arrival), stop.confidence.map { .number($0) } ?? .empty,
                        stop.isInOrder.map { .text($0 ? "yes" : "no") } ?? .empty,
                    ]
                }
            })
    }
}
