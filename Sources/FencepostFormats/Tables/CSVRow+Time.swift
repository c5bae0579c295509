internal import FencepostGeometry
internal import FencepostModel

extension CSVRow {
    mutating func time(_ column: CSVColumn, _ words: String, _ text: Text) throws(Rejection) -> RawTime {
        if column.factor ?? 0 == 0, header.zones.isEmpty,
            let time = Timestamp(commonRFC3339: UnsafeBufferPointer(rebasing: text))
        {
            return .at(time)
        }
        let parsed = CSVTime(words, factor: column.factor)
        if column.isLocal, !parsed.isAbsolute, header.zones.isEmpty {
            throw Rejection(
                .invalidTimestamp,
                "\(RawTime.quoted(words.utf8)) of \"\(column.heading)\" is a local time without an offset: add it, as in +01:00"
            )
        }
        return try placed(try take(parsed, words), parsed, words, isUTC: column.isUTC)
    }

    private mutating func take(_ parsed: CSVTime, _ words: String) throws(Rejection) -> RawTime {
        switch parsed.outcome {
        case .at(let time):
            if let shown = parsed.order {
                guard order == nil || order == shown || !words.contains("/") else {
                    throw Rejection(
                        .invalidTimestamp,
                        "\(RawTime.quoted(words.utf8)) has day and month in the other order than dates above it: write them "
                            + "as yyyy-mm-dd")
                }
                if words.contains("/") || words.contains("-") { shownOrder = shown }
            }
            return .at(time)
        case .ambiguous(let dayFirst, let monthFirst):
            switch order {
            case .dayFirst?: return .at(dayFirst)
            case .monthFirst?: return .at(monthFirst)
            case nil:
                isUndecided = true
                return .absent
            }
        case .invalid(let reason):
            guard reason != "is not a time" else { return .invalid(RawTime.quoted(words.utf8)) }
            throw Rejection(.invalidTimestamp, "\(RawTime.quoted(words.utf8)) \(reason)")
        }
    }

    func zoneValue(at index: Int, of row: CSVSplitter.Row) -> ZoneValue? {
        guard index < row.ends.count, let column = header.columns[index] else { return nil }
        let text = RawTime.words(row[index])
        return text.isEmpty || Self.absent.contains(text) ? nil : ZoneValue(column: column, text: text)
    }

    /// A time in the time zone of its row. UTC and numbers since 1970 need none; another offset must be that of the zone.
    private func placed(
        _ time: RawTime, _ parsed: CSVTime, _ words: String, isUTC: Bool
    ) throws(Rejection) -> RawTime {
        guard case .at(let local) = time, let first = header.zones.first else { return time }
        func refusal(_ reason: String) -> Rejection {
            Rejection(.invalidTimestamp, "\(RawTime.quoted(words.utf8)) \(reason)")
        }
        let known = zoneValues.compactMap { value in
            zones.zone(value.text, factor: value.column.factor).map { (value, $0) }
        }
        if parsed.isAbsolute || isUTC {
            guard let stated = parsed.statedOffset, stated != 0 else { return time }
            if let (value, _) = known.first(where: { $0.1.offset(at: local) != stated * 60 }) {
                throw refusal(
                    "has another offset than the time zone \(RawTime.quoted(value.text.utf8)): remove one of them")
            }
            return time
        }
        guard let (zoned, zone) = known.first else {
            if let value = zoneValues.first {
                throw Rejection(
                    .invalidTimestamp,
                    "the time zone \(RawTime.quoted(value.text.utf8)) is not known: write an offset, as in +01:00, or a name, "
                        + "as in Europe/Berlin")
            }
            throw refusal(
                "has no time zone in \"\(header.columns[first]?.heading ?? "")\": write an offset there, as in +01:00")
        }
        var moments = zone.moments(of: local)
        guard !moments.isEmpty else { throw refusal("does not exist in \(zoned.text): add its offset") }
        for (value, zone) in known.dropFirst() {
            moments = moments.filter(zone.moments(of: local).contains)
            guard moments.isEmpty else { continue }
            throw Rejection(
                .invalidTimestamp,
                "the columns \"\(zoned.column.heading)\" and \"\(value.column.heading)\" have different values for "
                    + "\(RawTime.quoted(words.utf8)): remove one of them")
        }
        guard moments.count == 1 else { throw refusal("comes twice in \(zoned.text): add its offset") }
        return .at(moments[0])
    }

    /// A date with the time of day of another column, unless that has a date of its own.
    mutating func readDate(_ column: CSVColumn, _ text: Text, _ row: CSVSplitter.Row) throws(Rejection) {
        guard let clock = self.text(.clock, of: row) else {
            throw Rejection(.missingTimestamp, "the date \(RawTime.quoted(text)) has no time of day")
        }
        let other = header.first[.clock].flatMap { header.columns[$0] }
        let isLocal = column.isLocal || other?.isLocal ?? false
        var words = RawTime.words(text) + " " + RawTime.words(clock)
        // Some spreadsheets write a day with the time 0:00, and a time on a day of its own.
        if clock.count > 8, case .at = CSVTime(RawTime.words(clock)).outcome { words = RawTime.words(clock) }
        let parsed = CSVTime(words)
        if isLocal, !parsed.isAbsolute, header.zones.isEmpty {
            throw Rejection(
                .invalidTimestamp,
                "\(RawTime.quoted(words.utf8)) is a local time without an offset: add it, as in +01:00")
        }
        raw.time = try placed(
            try take(parsed, words), parsed, words, isUTC: column.isUTC || other?.isUTC ?? false)
        if case .at(let time) = raw.time, let digits = self.text(.millisecond, of: row),
            let number = DecimalNumber.parse(digits), (0..<1000).contains(number), time.milliseconds % 1000 == 0
        {
            raw.time = .at(time + .milliseconds(Int(clamped: number)))
        }
    }
}

extension RawTime {
    /// The text of a time; bytes that are not UTF-8 make it invalid.
    static func words(_ text: CSVRow.Text) -> String { String(decoding: text, as: UTF8.self) }
}
