import FencepostJSON
public import FencepostModel

/// A stay that a detector reports.
public struct PhoneStay: Hashable, Sendable {
    /// `nil` if the stay began before the first fix.
    public var start: Timestamp?
    /// `nil` if it has not ended.
    public var end: Timestamp?

    /// A stay whose ends may be open.
    public init(start: Timestamp?, end: Timestamp?) {
        self.start = start
        self.end = end
    }

    /// The part within a span of time; `nil` if there is none.
    func clipped(to span: TimeSpan) -> TimeSpan? {
        TimeSpan(start ?? span.start, end ?? span.end).clipped(to: span)
    }

    /// Reads the stays of another detector: `{device: [[start, end], …]}` in seconds since 1970, where `null` is an open end.
    /// Further elements of a stay, such as its position, are left out.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its name in errors.
    ///   - cases: the phones; no other one may have stays.
    /// - Returns: the stays of each device.
    /// - Throws: `BenchmarkError` with the device and the stay.
    public static func read(
        _ bytes: some Collection<UInt8>, file: String, of cases: [PhoneCase]
    ) throws -> [DeviceID: [PhoneStay]] {
        let root = try PhoneRecord.root(of: bytes, file: file)
        guard let devices = root.element.object else { throw root.error("it is not an object") }
        let known = Set(cases.map(\.device))
        var stays: [DeviceID: [PhoneStay]] = [:]
        for member in devices {
            let device = DeviceID(member.name)
            let record = PhoneRecord(element: member.value, origin: "\(file): device \(member.name)")
            guard known.contains(device) else { throw record.error("no case has this device") }
            guard stays[device] == nil else { throw record.error("it is there twice") }
            guard let array = member.value.array else { throw record.error("it is not an array") }
            stays[device] = try array.enumerated().map { index, element in
                try stay(of: PhoneRecord(element: element, origin: "\(record.origin), stay \(index)"))
            }
        }
        return stays
    }

    private static func stay(of record: PhoneRecord) throws -> PhoneStay {
        let ends: [JSONElement] = record.element.array.map { Array($0.prefix(2)) } ?? []
        guard ends.count == 2, ends.allSatisfy({ $0.isNull || $0.double != nil }) else {
            throw record.error("it does not begin with its start and its end in seconds since 1970, or null")
        }
        let times = ends.map { $0.double.map(Timestamp.init(secondsSince1970:)) }
        if let start = times[0], let end = times[1], end < start { throw record.error("its end is before its start") }
        return PhoneStay(start: times[0], end: times[1])
    }
}
