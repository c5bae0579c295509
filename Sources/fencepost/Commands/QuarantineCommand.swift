import ArgumentParser
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostStore
import Foundation
import Logging

/// Works on the quarantine while no server runs.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Releases locations that were refused for their time.",
        discussion: """
            Example:
              fencepost quarantine release --config fencepost.json

            The command needs the database, so no server may run. A running server does the same at \
            POST /v1/quarantine/release.
            """,
        subcommands: [Release.self])

    /// Submits fixes again whose time was refused.
    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Evaluates and stores the quarantined locations whose time is in range now.",
            discussion: """
                Example:
                  fencepost quarantine release --config fencepost.json

                For use after the clock was wrong. It prints how many were released and how many stay.
                """)

        @OptionGroup var storage: StorageArguments

        func run() async throws {
            let configuration = try ConfigurationLayers.read(file: storage.config).configuration
            guard FileManager.default.fileExists(atPath: configuration.storage.path) else {
                Console.say("The database \(configuration.storage.path) does not exist.")
                throw ExitStatus.noInput.exit
            }
            _ = Logs.bootstrap(LogSettings.quiet)
            let assembly = try ServiceAssembly(configuration, logger: Logger(label: "fencepost"))
            let result = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await assembly.worker.run() }
                await assembly.worker.waitUntilStarted()
                let result = try await QuarantineRelease.run(
                    from: assembly.store, to: assembly.worker, now: InputReader.now)
                // The worker writes its last states before it ends.
                group.cancelAll()
                return result
            }
            try assembly.store.close()
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("released")
            writer.value(result.released)
            writer.name("kept")
            writer.value(result.kept)
            writer.endObject()
            print(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}
