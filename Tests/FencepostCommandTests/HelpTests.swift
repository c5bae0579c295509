import Foundation
import Testing

@Suite("The help") struct HelpTests {
    @Test(
        "of every command starts with an example that works",
        arguments: [
            "watch", "locate", "check", "simulate", "explain", "matrix", "rules", "lint", "diff", "report", "score",
            "webhook", "trips", "suggest", "advise",
        ])
    func example(command: String) throws {
        let lines = try Program.run(command, "--help").output.components(separatedBy: "\n")
        #expect(lines.first == "Example:")
        let example = lines.dropFirst().prefix { !$0.isEmpty }.joined(separator: "\n")
        #expect(example.contains("fencepost \(command)"))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", example]
        process.currentDirectoryURL = Program.root
        process.environment = ["PATH": Program.folder.path + ":/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
