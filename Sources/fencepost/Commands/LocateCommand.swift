import ArgumentParser
import FencepostAppCommands
import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostRegions

/// Prints the regions that contain each location.
struct Locate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the regions that contain each location.",
        discussion: """
            Example:
              printf '{"lat":38.7105,"lon":-9.1395}\\n' | fencepost locate --regions Regions

            The result is that of GEOS's covers. Accuracy and time are ignored, and there is no state.
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
        var reader = InputReader(input, requiresTimestamp: false)
        do {
            try reader.run(
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
        if let failure = reader.failure { throw failure.exit }
        if input.strict, reader.rejected > 0 { throw ExitStatus.badData.exit }
    }
}
