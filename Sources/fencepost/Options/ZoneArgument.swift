import ArgumentParser
import Foundation

/// A time zone by its name in the IANA database.
struct ZoneArgument: ExpressibleByArgument {
    let zone: TimeZone

    init?(argument: String) {
        guard let zone = TimeZone(identifier: argument) else { return nil }
        self.zone = zone
    }
}
