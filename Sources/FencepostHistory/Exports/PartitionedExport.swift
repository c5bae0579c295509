package import FencepostFiles
import FencepostGeometry
package import FencepostModel
import FencepostParquet
package import Foundation

/// The files of one device in a folder: one for each day, with the day and the device in their paths, as Hive names partitions.
package struct PartitionedExport {
    private let kind: ExportKind
    private let format: ExportFormat
    /// The device.
    package let device: DeviceID
    private let zone: TimeZone
    private let content: OutputFolder.Content
    private var open: (file: OutputFolder.File, export: ExportFile, end: Timestamp)?
    /// The number of rows in the files that are complete.
    package private(set) var rows = 0
    /// The number of files.
    package private(set) var files = 0

    /// Files of a device.
    ///
    /// - Parameters:
    ///   - kind: the rows.
    ///   - format: one that holds such rows.
    ///   - device: the device.
    ///   - zone: of the days.
    ///   - content: of the folder.
    package init(
        _ kind: ExportKind, _ format: ExportFormat, of device: DeviceID, zone: TimeZone,
        in content: OutputFolder.Content
    ) {
        (self.kind, self.format, self.device, self.zone, self.content) = (kind, format, device, zone, content)
    }

    /// Whether an export writes files of this path below its folder.
    package static func isOwn(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].hasPrefix("day=") && parts[1].hasPrefix("device=")
            && ExportKind.allCases.contains { kind in
                ExportFormat.allCases.contains { parts[2] == "\(kind.rawValue).\($0.suffix)" }
            }
    }

    /// Adds rows, which follow those before in time.
    ///
    /// - Parameter batch: rows of the device.
    /// - Throws: as `OutputFolder.File`, and without memory.
    package mutating func append(_ batch: ExportBatch) throws {
        var start = 0
        while start < batch.count {
            let time = batch.time(of: start)
            if let open, time >= open.end { try finish() }
            if open == nil { try begin(at: time) }
            var end = start + 1
            while end < batch.count, let open, batch.time(of: end) < open.end { end += 1 }
            if let bytes = try open?.export.append(batch[start..<end]) { try open?.file.append(bytes) }
            start = end
        }
    }

    /// Completes the file of the last day.
    package mutating func finish() throws {
        guard var last = open else { return }
        open = nil
        try last.file.append(last.export.finish())
        try last.file.finish()
        rows += last.export.rows
        files += 1
    }

    private mutating func begin(at time: Timestamp) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let day = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        // Some days of some zones do not begin at midnight, and none is longer than 26 hours.
        let begin = calendar.startOfDay(for: date)
        let next = calendar.startOfDay(for: begin.addingTimeInterval(36 * 3600))
        let path = "day=\(day)/device=\(device.rawValue.hiveEncoded)/\(kind.rawValue).\(format.suffix)"
        let file = try content.create(path)
        var export = try ExportFile(kind, format)
        try file.append(export.begin())
        open = (file, export, Timestamp(milliseconds: Int64(clamped: next.timeIntervalSince1970 * 1000)))
    }
}

extension String {
    /// The text as a value in the name of a folder: Hive percent-encodes these characters, and readers decode them.
    fileprivate var hiveEncoded: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F || " \"#%'*/:=?\\{[]^+".unicodeScalars.contains(scalar) {
                text += String(format: "%%%02X", scalar.value)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
