import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostModel
import Foundation

/// Writes events to standard output in the chosen format.
struct EventPrinter: ~Copyable {
    /// Number of recorded events that are sorted by time before they are printed as text.
    private static let sortWindow = 100_000

    /// Live events are printed at once. Recorded events are printed in the order of their times, because some events of
    /// a recording, such as `device.stale`, are found late.
    var isLive = false
    private let output: Watch.Output
    private var timeline: TimelinePrinter
    private var pending: [EmittedEvent] = []
    private var encoder: EventEncoder
    private let explains: Bool
    /// The lines of text.
    private var buffer = OutputBuffer()

    init(_ output: Watch.Output, explains: Bool, timeline: TimelinePrinter) {
        self.output = output
        self.timeline = timeline
        self.explains = explains
        encoder = EventEncoder(output == .geojson ? .geojson : .ndjson)
    }

    mutating func print(_ events: [EmittedEvent]) {
        switch output {
        case .text:
            pending += events
            if isLive || pending.count >= Self.sortWindow { printPending() }
        case .ndjson, .geojson:
            for item in events { encoder.encode(item, explains: explains) }
        }
    }

    /// Format of events that are encoded in blocks; `nil` for text, which is printed event by event.
    var format: EventEncoder.Format? {
        switch output {
        case .text: nil
        case .ndjson: .ndjson
        case .geojson: .geojson
        }
    }

    mutating func print(_ report: BlockReport) throws(OutputError) {
        switch output {
        case .text:
            for item in report.events { print([item]) }
            try buffer.flushIfLarge()
        case .ndjson, .geojson:
            try report.write(to: &encoder) { encoder throws(OutputError) in try Self.write(&encoder) }
        }
    }

    mutating func flushIfLarge() throws(OutputError) {
        try buffer.flushIfLarge()
        if encoder.count >= 1 << 16 { try Self.write(&encoder) }
    }

    mutating func flush() throws(OutputError) {
        try buffer.flush()
        try Self.write(&encoder)
    }

    /// Writes what is encoded to standard output.
    private static func write(_ encoder: inout EventEncoder) throws(OutputError) {
        try encoder.withBytes { bytes throws(OutputError) in try OutputBuffer.write(bytes, to: STDOUT_FILENO) }
        encoder.removeBytes()
    }

    mutating func finish() throws(OutputError) {
        if output == .geojson { encoder.finish() }
        printPending()
        try flush()
    }

    private mutating func printPending() {
        // The sort is stable: events of the same time keep their order.
        pending.sort { $0.event.timestamp < $1.event.timestamp }
        if !isLive { timeline.fit(pending.map(\.event)) }
        for item in pending {
            timeline.append(item.event, to: &buffer.bytes)
            // The line above shows the event for which the app was started.
            guard case .appRelaunched = item.event.occurrence else {
                timeline.append(item.deliveries, to: &buffer.bytes)
                continue
            }
        }
        pending.removeAll(keepingCapacity: true)
    }
}
