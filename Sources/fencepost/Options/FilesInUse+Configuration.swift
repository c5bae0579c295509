import FencepostFiles
import FencepostRegionFiles
import FencepostService
import Foundation

extension FilesInUse {
    /// The files of a configuration: itself, regions, apps, certificates and, if `withDatabase` is set, the database.
    /// `file` is the option `--config`.
    init(_ configuration: Configuration, file: String?, withDatabase: Bool = true) {
        self.init()
        if withDatabase { add(database: configuration.storage.path) }
        let environment = ProcessInfo.processInfo.environment
        if let file = file ?? environment["FENCEPOST_CONFIG"] { add(file, as: "the configuration") }
        for (name, value) in environment where name.hasPrefix("FENCEPOST_") && name.hasSuffix("_FILE") {
            add(value, as: "the file of \(name)")
        }
        for path in configuration.regions { add(pattern: path, as: "a region file in use", of: .regions) }
        for path in configuration.apps { add(pattern: path, as: "an app file in use") }
        for path in [configuration.webhooks.caFile, configuration.mqtt?.caFile] {
            if let path { add(path, as: "a certificate file in use") }
        }
    }

    /// Adds the files of a path, folder or pattern; a pattern without files adds its own name.
    mutating func add(pattern: String, as purpose: String, of content: PathPattern.Content = .json) {
        for file in (try? PathPattern.files(for: pattern, of: content)) ?? [pattern] { add(file, as: purpose) }
    }
}
