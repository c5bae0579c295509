public import FencepostFormats
public import FencepostModel

extension Summary {
    /// The rows as a table with the columns of the CSV form of `GET /v1/summaries`.
    public var table: Table {
        Table(
            name: "By \(grouping.rawValue) and \(period.rawValue)",
            columns: [
                Table.Column(grouping.member), "date", "secondsInside", "visits", "trips", "distance", "movingTime",
                "secondsKnown", "secondsUnknown",
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

    /// The rows for people: names, dates, durations and distances in the units of the reader.
    ///
    /// Rows of devices have totals. Regions overlap, regions have several tags and devices several groups, so that a total of
    /// their rows would count the same time twice.
    ///
    /// - Parameters:
    ///   - names: the names of devices or regions, by id; without one, an entry has its id.
    ///   - units: the units of distances.
    /// - Returns: the worksheet.
    public func workbookTable(names: [String: String], units: UnitSystem) -> Table {
        let hasIDs = grouping == .device || grouping == .region
        let hasKnownTime = grouping == .device || grouping == .group
        let isTotalled = grouping == .device
        var columns = [Table.Column(grouping.title)]
        if hasIDs { columns.append(Table.Column("\(grouping.title) ID")) }
        columns += [
            Table.Column(period == .day ? "Date" : "\(period == .week ? "Week" : "Month") from", .date),
            Table.Column("Time inside", .duration, isTotalled: isTotalled),
            Table.Column("Visits", isTotalled: isTotalled), Table.Column("Trips", isTotalled: isTotalled),
            Table.Column("Distance (\(units.distanceUnit))", .tenths, isTotalled: isTotalled),
            Table.Column("Time in motion", .duration, isTotalled: isTotalled),
        ]
        if hasKnownTime {
            columns += [
                Table.Column("Time known", .duration, isTotalled: isTotalled),
                Table.Column("Time unknown", .duration, isTotalled: isTotalled),
            ]
        }
        let rows = rows.map { row in
            var cells: [Table.Cell] = [.text(names[row.group] ?? row.group)]
            if hasIDs { cells.append(.text(row.group)) }
            cells += [
                .date(row.date), .duration(row.insideSeconds), .number(Double(row.visits)), .number(Double(row.trips)),
                .distance(row.distance, units), .duration(row.movingSeconds),
            ]
            if hasKnownTime {
                cells += [row.knownSeconds, row.unknownSeconds].map { $0.map(Table.Cell.duration) ?? .empty }
            }
            return cells
        }
        return Table(name: "By \(grouping.rawValue) and \(period.rawValue)", columns: columns, rows: rows)
    }
}

extension SummaryGrouping {
    fileprivate var title: String {
        switch self {
        case .device: "Device"
        case .group: "Group"
        case .region: "Region"
        case .tag: "Tag"
        }
    }
}
