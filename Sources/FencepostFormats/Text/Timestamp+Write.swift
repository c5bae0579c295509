internal import FencepostModel

extension Timestamp {
    /// Writes what `rfc3339` says.
    ///
    /// - Parameter start: has room for 24 bytes.
    /// - Returns: how many were written.
    func writeRFC3339(to start: UnsafeMutablePointer<UInt8>) -> Int {
        let day = milliseconds / 86_400_000 - (milliseconds % 86_400_000 < 0 ? 1 : 0)
        let ofDay = UInt32(milliseconds - day * 86_400_000)
        let (year, month, dayOfMonth) = Timestamp.civil(day: Int(day))
        func put(_ pair: UInt32, at place: Int) {
            start[place] = UInt8(truncatingIfNeeded: 48 + pair / 10 % 10)
            start[place + 1] = UInt8(truncatingIfNeeded: 48 + pair % 10)
        }
        // Of a longer year the last four digits, as `rfc3339` has it; the readers take none.
        put(UInt32(year.magnitude % 10_000) / 100, at: 0)
        put(UInt32(year.magnitude % 100), at: 2)
        start[4] = UInt8(ascii: "-")
        put(UInt32(month), at: 5)
        start[7] = UInt8(ascii: "-")
        put(UInt32(dayOfMonth), at: 8)
        start[10] = UInt8(ascii: "T")
        let second = ofDay / 1000
        put(second / 3600, at: 11)
        start[13] = UInt8(ascii: ":")
        put(second / 60 % 60, at: 14)
        start[16] = UInt8(ascii: ":")
        put(second % 60, at: 17)
        let millisecond = ofDay % 1000
        guard millisecond > 0 else {
            start[19] = UInt8(ascii: "Z")
            return 20
        }
        start[19] = UInt8(ascii: ".")
        start[20] = UInt8(truncatingIfNeeded: 48 + millisecond / 100)
        put(millisecond % 100, at: 21)
        start[23] = UInt8(ascii: "Z")
        return 24
    }
}
