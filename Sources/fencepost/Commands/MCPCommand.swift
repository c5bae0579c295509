import ArgumentParser
import FencepostAppCommands
import FencepostJSON
import Foundation

/// Lets a program of a language model ask a running service, over standard input and output.
struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Lets a language model ask a running service: a server of the Model Context Protocol over stdio.",
        discussion: """
            Example, for the configuration of a client:
              {"mcpServers":{"fencepost":{"command":"fencepost","args":["mcp","--server","https://fencepost.example.org"],
                "env":{"FENCEPOST_TOKEN":"fp_…"}}}}

            The tools read what the token may read, and change nothing. On the machine of the service no token is needed, and
            everything is read. Each line of the input is a message, each line of the output an answer.
            """)

    @OptionGroup var storage: StorageArguments
    @OptionGroup var service: ServiceArguments

    func validate() throws {
        // Who gives a token means its rights; without --server the command would read everything.
        guard service.server != nil || ProcessInfo.processInfo.environment["FENCEPOST_TOKEN"] == nil else {
            throw ValidationError("FENCEPOST_TOKEN needs --server; without it the command reads everything.")
        }
    }

    func run() async throws {
        guard let connection = try storage.connection(service) else {
            Console.say(
                "fencepost: no service uses the database. Start one with fencepost serve, or name one with --server.")
            throw ExitStatus.unavailable.exit
        }
        while let line = readLine() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            let answer = await connection.relay(Array(line.utf8), to: "/mcp")
            switch answer {
            case .success(let body) where body.isEmpty: continue
            case .success(let body): print(String(decoding: body, as: UTF8.self))
            case .failure(let failure):
                guard let text = Self.error(failure.description, of: line) else { continue }
                print(text)
            }
            // The client waits for it.
            fflush(nil)
        }
    }

    /// The answer to a message that the service has not answered; `nil` for one that wants none.
    private static func error(_ description: String, of line: String) -> String? {
        guard let id = (try? JSONDocument(parsing: line))?.root["id"], id.string != nil || id.double != nil else {
            return nil
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("jsonrpc")
        writer.value("2.0")
        writer.name("id")
        writer.raw(id.text)
        writer.name("error")
        writer.beginObject()
        writer.name("code")
        writer.value(-32_000)
        writer.name("message")
        writer.value(description)
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
