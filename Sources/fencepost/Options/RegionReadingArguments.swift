import ArgumentParser
import FencepostRegionFiles
import FencepostService

/// Options that say how region files of any format are read.
struct RegionReadingArguments: ParsableArguments {
    @Option(name: .long, help: "The property, or the column, with the ids.")
    var idProperty: String?

    @Option(
        name: .long,
        help:
            "Metres around points, and to either side of lines, that have no length of their own (100; in GeoJSON none)."
    )
    var radius: Double?

    func validate() throws {
        guard let radius else { return }
        guard radius > 0, radius <= RegionOptions.radiusLimit else {
            throw ValidationError("--radius has to be a number of metres above 0 and at most 20037508.")
        }
    }

    /// The flags override the configuration.
    func apply(to configuration: inout Configuration) {
        if let idProperty { configuration.idProperty = idProperty }
        if let radius { configuration.regionRadius = radius }
    }
}
