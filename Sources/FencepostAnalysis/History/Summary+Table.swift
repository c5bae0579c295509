public import FencepostFormats

extension Summary {
    /// The rows as a table with the columns of the CSV form of `GET /v1/summaries`.
    public var table: Table {
        Table(
            name: "By \(grouping.rawValue) and \(period.rawValue)",
            columns: [
                grouping.member, "date", "secondsInside", "visits", "trips", "distance", "movingTime", "secondsKnown",
                "secondsUnknown",
            ],
            rows: rows.map { row in
                [
                    .text(row.group), .text(row.date), .number(row.insideSeconds.rounded()),
                    .number(Double(row.visits)), .number(Double(row.trips)), .number(row.distance.rounded()),
                    .number(row.movingSeconds.rounded()), row.knownSeconds.map { .number($0.rounded()) } ?? .empty,
                    row.unknownSeconds.map { .number($0.rounded()) } ?? .empty,
                ]
            })
    }
}
