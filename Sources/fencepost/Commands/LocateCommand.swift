import ArgumentParser
import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostRegions

/// Which regions contain each location.
struct Locate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says for each location which regions contain it.",
        discussion: """
            Example:
              printf '{"lat":38.7105,"lon":-9.1395}\\n' | fencepost locate --regions Regions

            Exactly what GEOS covers answers: no accuracy, no state, no time needed.
            """)

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var input: InputArguments

    func run() throws {
        Interrupt.install()
        let index = try regionArguments.load().index
        var query = RegionQuery(index)
        var handles: [RegionHandle] = []
        var writer = JSONWriter()
        var buffer = OutputBuffer()
        var pump = LocationPump(input, requiresTimestamp: false)
        do {
            try pump.run(
                idle: { _ in try buffer.flush() },
                take: { location, place, _ in
                    try query.covering(location.coordinate, into: &handles)
                    writer.beginObject()
                    writer.name("index")
                    writer.value(place)
                    writer.name("regions")
                    writer.beginArray()
                    for id in handles.compactMap({ index.catalog[$0]?.id }).sorted() { writer.value(id.rawValue) }
                    writer.endArray()
                    writer.endObject()
                    writer.newline()
                    buffer.bytes += writer.bytes
                    writer.removeAll()
                    try buffer.flushIfLarge()
                })
            try buffer.flush()
        } catch let error as OutputError where error.isClosedPipe {
            return
        }
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        if let failure = pump.failure { throw failure.exit }
        if input.strict, pump.rejected > 0 { throw ExitStatus.badData.exit }
    }
}
