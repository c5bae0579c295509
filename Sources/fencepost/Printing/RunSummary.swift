import FencepostAppCommands
import FencepostEngine
import FencepostFiles
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import Foundation

/// The totals of a run, for `--summary` and the final message.
struct RunSummary {
    let totals: FileWatch.Totals
    let reader: InputReader
    let regions: Int
    let elapsed: Duration

    private var counts: MonitorCounts { totals.counts }
    private var relaunches: Int { totals.relaunches }
    private var devices: Int { totals.devices }
    private var seconds: Double { max(elapsed.seconds, 0.001) }

    var sentence: String {
        var parts = [
            "\(Prose.count(reader.records, "location")) of \(Prose.count(devices, "device"))",
            "\(Prose.count(regions, "region"))", "\(Prose.count(counts.events.values.reduce(relaunches, +), "event"))",
        ]
        if reader.rejected > 0 { parts.append("\(Prose.grouped(reader.rejected)) rejected") }
        for (name, count) in reader.dropped.named { parts.append("\(Prose.grouped(count)) \(name) dropped") }
        if counts.late > 0 { parts.append("\(Prose.grouped(counts.late)) late") }
        if counts.ahead > 0 { parts.append("\(Prose.grouped(counts.ahead)) ahead of the clock") }
        if counts.duplicates > 0 { parts.append(Prose.count(counts.duplicates, "duplicate")) }
        return parts.joined(separator: ", ") + " in \((seconds * 100).rounded() / 100) s"
    }

    func write(to file: OutputFile) throws {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("locations", reader.records), ("accepted", counts.accepted), ("rejected", reader.rejected),
            ("late", counts.late), ("duplicates", counts.duplicates), ("devices", devices), ("regions", regions),
        ] {
            writer.name(name)
            writer.value(value)
        }
        writer.name("events")
        writer.beginObject()
        for type in EventType.allCases {
            writer.name(type.rawValue)
            writer.value(type == .appRelaunched ? relaunches : counts.events[type] ?? 0)
        }
        writer.endObject()
        // Members beyond their ranges, by name.
        writer.name("dropped")
        writer.beginObject()
        for (name, count) in reader.dropped.named {
            writer.name(name)
            writer.value(count)
        }
        writer.endObject()
        // Fixes that were not trusted on their own, and those whose time is wrong.
        writer.name("doubted")
        writer.beginObject()
        for (name, count) in [
            ("leap", totals.flagCounts.leap), ("coarse", totals.flagCounts.coarse),
            ("repeated", totals.flagCounts.repeated), ("clock", counts.ahead),
        ] {
            writer.name(name)
            writer.value(count)
        }
        writer.endObject()
        writer.name("seconds")
        writer.value(seconds)
        writer.name("locationsPerSecond")
        writer.value((Double(reader.records) / seconds).rounded())
        writer.name("peakMemoryBytes")
        writer.value(Self.peakMemory)
        writer.endObject()
        writer.newline()
        try OutputArguments.run { try file.write(writer.bytes) }
    }

    /// Maximum resident set size of this process so far, in bytes.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        // The unit on Linux is KiB.
        return Int(usage.ru_maxrss) * 1024
    }
}
