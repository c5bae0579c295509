import ArgumentParser
import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostNode
import FencepostOperation
import FencepostService
import FencepostStore
import Foundation

/// Works on the quarantine, through the service where one runs.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Releases locations that were refused for their time.",
        discussion: """
            Example:
              fencepost quarantine release --config fencepost.json

            While a service runs on the database, it does the work.
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
        @OptionGroup var service: ServiceArguments

        func run() async throws {
            if let service = try storage.connection(service) {
                let response = try await service.request("POST", "/v1/quarantine/release")
                print(String(decoding: response.body, as: UTF8.self))
                return
            }
            _ = try storage.existingPath()
            let configuration = try storage.configuration()
            let assembly = try ServiceAssembly.forCommand(configuration)
            let result = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await assembly.worker.run() }
                await assembly.worker.waitUntilStarted()
                let result = try await QuarantineRelease.run(
                    from: assembly.store, to: assembly.worker, now: WallClock.now)
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
