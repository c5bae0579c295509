internal import FencepostGeometry
internal import FencepostModel

/// Decodes sentences of a receiver (NMEA 0183): RMC has position, time and speed, GGA of the same second the altitude.
final class NMEADecoder: RecordDecoder {
    /// The data of one moment.
    private struct Epoch {
        /// Milliseconds since midnight.
        var timeOfDay: Int
        /// Days since 1970; `nil` before an RMC.
        var day: Int?
        var latitude, longitude: Double
        var speed, course, altitude: Double?
        var line: Int
        var hasRMC = false
        var hasGGA = false
    }

    private let context: DecoderContext
    private var splitter = LineSplitter()
    private var pending: Epoch?
    /// The day and time of the latest moment, from which a GGA without an RMC takes its day.
    private var newest: (day: Int, timeOfDay: Int)?
    /// The last time of which the week may be right.
    private var known: Timestamp?
    /// A moment that the receiver marks as void, so its GGA is not used.
    private var void: Int?
    private(set) var failure: Diagnostic?

    init(_ context: DecoderContext) {
        self.context = context
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        splitter.feed(chunk) { take($0, into: &records) }
    }

    func finish(into records: inout [Decoded]) {
        splitter.finish { take($0, into: &records) }
        flush(into: &records)
    }

    private func take(_ line: LineSplitter.Line, into records: inout [Decoded]) {
        let position = Diagnostic.Position.line(line.number)
        guard !line.isTooLong else {
            records.append(
                context.rejected(Rejection(.payloadTooLarge, "the line is longer than 64 KiB"), at: position))
            return
        }
        let text = Array(line.bytes.trimmed)
        guard !text.isEmpty else { return }
        do throws(Rejection) {
            let fields = try NMEADecoder.fields(of: NMEADecoder.withoutTagBlock(text))
            guard let type = fields.first, type.count >= 5 else { return }
            // Two letters for the system (GP, GN, GL …), or P and a vendor's own name.
            switch String(decoding: type.suffix(3), as: UTF8.self) {
            case "RMC": try takeRMC(fields, line: line.number, into: &records)
            case "GGA": try takeGGA(fields, line: line.number, into: &records)
            default: break
            }
        } catch {
            records.append(context.rejected(error, at: position))
        }
    }

    /// The sentence after a TAG block, which says where it comes from: `\s:station*hh\` (NMEA 4.10).
    private static func withoutTagBlock(_ text: [UInt8]) -> [UInt8] {
        let mark = UInt8(ascii: "\\")
        guard text[0] == mark, let end = text.dropFirst().firstIndex(of: mark), end + 1 < text.count else {
            return text
        }
        return Array(text[(end + 1)...])
    }

    /// The fields of a sentence with a correct checksum.
    private static func fields(of text: [UInt8]) throws(Rejection) -> [ArraySlice<UInt8>] {
        guard text[0] == UInt8(ascii: "$") || text[0] == UInt8(ascii: "!") else {
            throw Rejection(.invalidShape, "the line is not a sentence: it does not begin with $")
        }
        guard text.count >= 4, text[text.count - 3] == UInt8(ascii: "*"),
            let checksum = UInt8(String(decoding: text.suffix(2), as: UTF8.self), radix: 16)
        else { throw Rejection(.invalidShape, "the sentence has no checksum at its end") }
        let body = text[1..<(text.count - 3)]
        guard body.reduce(0, ^) == checksum else {
            throw Rejection(.invalidShape, "the checksum of the sentence is wrong")
        }
        return body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    }

    private func takeRMC(
        _ fields: [ArraySlice<UInt8>], line: Int, into records: inout [Decoded]
    ) throws(Rejection) {
        guard fields.count >= 10 else { throw Rejection(.invalidShape, "the RMC sentence has too few fields") }
        let time = try NMEADecoder.timeOfDay(fields[1])
        guard fields[2].elementsEqual([UInt8(ascii: "A")]) else {
            // Void: the receiver has no fix.
            if let time {
                if pending?.timeOfDay == time { pending = nil } else { flush(into: &records) }
                void = time
            }
            return
        }
        guard let time else { throw Rejection(.missingTimestamp, "the RMC sentence has no time") }
        let (latitude, longitude) = try NMEADecoder.coordinate(fields[3...6])
        guard let day = try NMEADecoder.day(fields[9]) else {
            throw Rejection(.missingTimestamp, "the RMC sentence has no date")
        }
        let speed = try NMEADecoder.number(fields[7], "speed").map { $0 * 1852 / 3600 }
        let course = try NMEADecoder.number(fields[8], "course")
        if pending?.timeOfDay != time || pending?.hasRMC == true { flush(into: &records) }
        void = nil
        var epoch =
            pending ?? Epoch(timeOfDay: time, latitude: latitude, longitude: longitude, line: line)
        if let newest, newest == (day, time), pending == nil { return }  // repeated by another satellite system
        (epoch.latitude, epoch.longitude, epoch.day) = (latitude, longitude, day)
        (epoch.speed, epoch.course, epoch.line, epoch.hasRMC) = (speed, course, line, true)
        pending = epoch
        if epoch.hasGGA { flush(into: &records) }
    }

    private func takeGGA(
        _ fields: [ArraySlice<UInt8>], line: Int, into records: inout [Decoded]
    ) throws(Rejection) {
        guard fields.count >= 10 else { throw Rejection(.invalidShape, "the GGA sentence has too few fields") }
        // Quality 0: no fix.
        guard let quality = fields[6].first, quality != UInt8(ascii: "0"),
            let time = try NMEADecoder.timeOfDay(fields[1]),
            time != void
        else { return }
        let (latitude, longitude) = try NMEADecoder.coordinate(fields[2...5])
        let altitude = try NMEADecoder.number(fields[9], "altitude")
        if pending?.timeOfDay != time { flush(into: &records) }
        if pending == nil, newest?.timeOfDay == time { return }  // repeated by another satellite system
        var epoch = pending ?? Epoch(timeOfDay: time, latitude: latitude, longitude: longitude, line: line)
        epoch.altitude = altitude ?? epoch.altitude
        epoch.hasGGA = true
        pending = epoch
        if epoch.hasRMC { flush(into: &records) }
    }

    /// Passes on the complete moment.
    private func flush(into records: inout [Decoded]) {
        guard let epoch = pending else { return }
        pending = nil
        var raw = RawFix()
        // Without an RMC the day is that of the previous fix, or the next day after midnight.
        let day =
            epoch.day
            ?? newest.map { newest in
                epoch.timeOfDay < newest.timeOfDay - 43_200_000 ? newest.day + 1 : newest.day
            }
        if let day {
            var time = Timestamp(milliseconds: Int64(day) * 86_400_000 + Int64(epoch.timeOfDay))
            // A receiver knows the right week again after a while, or only for some of its satellites.
            if let known, time.isRolledOver(from: known) { time = time.withoutRollover } else { known = time }
            newest = (day, epoch.timeOfDay)
            raw.time = .at(time)
        }
        (raw.latitude, raw.longitude) = (epoch.latitude, epoch.longitude)
        (raw.speed, raw.course, raw.altitude) = (epoch.speed, epoch.course, epoch.altitude)
        records.append(context.decoded(raw, at: .line(epoch.line)))
    }

    private static func number(_ field: ArraySlice<UInt8>, _ name: String) throws(Rejection) -> Double? {
        guard !field.isEmpty else { return nil }
        guard let number = DecimalNumber.parse(field) else {
            throw Rejection(.invalidNumber, "the \(name) \(RawTime.quoted(field)) is not a number")
        }
        return number
    }

    /// `hhmmss`, optionally with a fraction, in milliseconds.
    private static func timeOfDay(_ field: ArraySlice<UInt8>) throws(Rejection) -> Int? {
        guard !field.isEmpty else { return nil }
        let digits = field.prefix(6).compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
        guard digits.count == 6, let number = DecimalNumber.parse(field) else {
            throw Rejection(.invalidTimestamp, "\(RawTime.quoted(field)) is not a time of day")
        }
        let (hour, minute, second) = (
            digits[0] * 10 + digits[1], digits[2] * 10 + digits[3], digits[4] * 10 + digits[5]
        )
        guard hour < 24, minute < 60, second <= 60, number < 1_000_000 else {
            throw Rejection(.invalidTimestamp, "\(RawTime.quoted(field)) is not a time of day")
        }
        let fraction = ((number - number.rounded(.down)) * 1000).rounded()
        return ((hour * 60 + minute) * 60 + second) * 1000 + Int(clamped: fraction)
    }

    /// `ddmmyy`; GPS began in 1980.
    private static func day(_ field: ArraySlice<UInt8>) throws(Rejection) -> Int? {
        guard !field.isEmpty else { return nil }
        let digits = field.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
        guard digits.count == 6, field.count == 6 else {
            throw Rejection(.invalidTimestamp, "\(RawTime.quoted(field)) is not a date")
        }
        let (day, month, short) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3], digits[4] * 10 + digits[5])
        let year = short < 80 ? 2000 + short : 1900 + short
        guard (1...12).contains(month), (1...Timestamp.daysInMonth(month, of: year)).contains(day) else {
            throw Rejection(.invalidTimestamp, "\(RawTime.quoted(field)) is not a date")
        }
        return Timestamp.days(year: year, month: month, day: day)
    }

    /// `ddmm.mmmm`, N or S, `dddmm.mmmm`, E or W.
    private static func coordinate(_ fields: ArraySlice<ArraySlice<UInt8>>) throws(Rejection) -> (Double, Double) {
        let fields = Array(fields)
        guard !fields[0].isEmpty, !fields[2].isEmpty else {
            throw Rejection(.missingCoordinate, "the sentence has no coordinate")
        }
        func degrees(_ field: ArraySlice<UInt8>, _ side: ArraySlice<UInt8>, _ sides: String) throws(Rejection) -> Double
        {
            // The two digits before the point belong to the minutes; splitting the text avoids rounding twice.
            let digits = field.prefix { (48...57).contains($0) }
            guard digits.count > 2, let wholeDegrees = DecimalNumber.parse(digits.dropLast(2)),
                let minutes = DecimalNumber.parse(field.dropFirst(digits.count - 2)),
                let side = side.first, let sign = sides.utf8.firstIndex(of: side)
            else {
                throw Rejection(.invalidNumber, "\(RawTime.quoted(field)) is not an angle in degrees and minutes")
            }
            guard minutes < 60 else {
                throw Rejection(.coordinateOutOfRange, "the angle \(RawTime.quoted(field)) has 60 minutes or more")
            }
            return (wholeDegrees + minutes / 60) * (sign == sides.utf8.startIndex ? 1 : -1)
        }
        return (try degrees(fields[0], fields[1], "NS"), try degrees(fields[2], fields[3], "EW"))
    }
}
