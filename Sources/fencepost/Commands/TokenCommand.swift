public import ArgumentParser
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostServer
public import FencepostService
import FencepostStore
import Foundation

/// Who may use the HTTP API.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Issues, lists and revokes tokens for the HTTP API.",
        discussion: """
            Example:
              fencepost token create --name "jane's phone" --scope ingest --device jane/phone

            It works on the storage of the config while no server runs; a running server does the same at /v1/tokens.
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// Issues a token and prints it, which happens this once.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issues a token and prints it; it is shown this once and stored as a hash.",
            discussion: """
                Example:
                  fencepost token create --name backup --scope read --scope admin --expires 2027-01-01T00:00:00Z

                Scopes: ingest stores locations, read shows what is stored, write changes regions, apps and endpoints, \
                admin includes the three, exports and erases devices, and issues tokens.
                """)

        @OptionGroup var storage: StorageArguments

        @Option(name: .long, help: "What the token is for. Without --device also the device of fixes that name none.")
        var name: String

        @Option(name: .long, parsing: .singleValue, help: "ingest, read, write or admin; may be repeated.")
        var scope: [AccessToken.Scope]

        @Option(name: .long, help: "The only device that it speaks for and sees.")
        var device: String?

        @Option(name: .long, help: "When it ends, such as 2027-01-01T00:00:00Z.")
        var expires: String?

        @Option(
            name: .long, help: "A file with the key of the device's encrypted OwnTracks payloads, 1 to 32 bytes.",
            completion: .file())
        var encryptionKeyFile: String?

        @Flag(name: .long, help: "One JSON object.")
        var json = false

        func validate() throws {
            guard (1...256).contains(name.count) else { throw ValidationError("A name has 1 to 256 characters.") }
            guard !scope.isEmpty else { throw ValidationError("Say with --scope what the token may do.") }
        }

        func run() async throws {
            var generator = SystemRandomNumberGenerator()
            let now = LocationPump.now
            var (text, token) = TokenText.issue(name: name, scopes: Set(scope), at: now, using: &generator)
            if let device {
                do throws(Rejection) {
                    token.deviceID = try DeviceID(validating: device)
                } catch {
                    throw ValidationError("\(device) is no id of a device: \(error.message).")
                }
            }
            if let expires {
                guard let time = Timestamp(rfc3339: expires), time > now else {
                    throw ValidationError("\(expires) is no time to come, such as 2027-01-01T00:00:00Z.")
                }
                token.expires = time
            }
            if let encryptionKeyFile {
                var key = Array(try InputFile.bytes(of: encryptionKeyFile))
                while key.last == UInt8(ascii: "\n") || key.last == UInt8(ascii: "\r") { key.removeLast() }
                guard (1...32).contains(key.count) else { throw ValidationError("The key has to be of 1 to 32 bytes.") }
                token.encryptionKey = key
            }
            let issued = token
            try await storage.withTokens { try await $0.save(issued) }
            print(json ? TokenCommand.encode(issued, text: text) : text)
        }
    }

    /// Lists the tokens, of which only hashes are known.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the tokens, without their text.",
            discussion: """
                Example:
                  fencepost token list --json
                """)

        @OptionGroup var storage: StorageArguments

        @Flag(name: .long, help: "One JSON object a line.")
        var json = false

        func run() async throws {
            let tokens = try await storage.withTokens { try await $0.tokens() }.sorted { $0.id < $1.id }
            for token in tokens { print(json ? TokenCommand.encode(token) : Self.describe(token)) }
            if tokens.isEmpty { Console.say("There are no tokens.") }
        }

        private static func describe(_ token: AccessToken) -> String {
            let scopes = AccessToken.Scope.allCases.filter(token.scopes.contains).map(\.rawValue)
            var parts = [token.id, scopes.joined(separator: "+"), token.name]
            if let device = token.deviceID { parts.append("only \(device)") }
            if let expires = token.expires { parts.append("until \(expires.rfc3339)") }
            parts.append(token.lastUsed.map { "used \($0.rfc3339)" } ?? "never used")
            return parts.joined(separator: "  ")
        }
    }

    /// Takes tokens back.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes tokens by id; they are good for nothing from then on.",
            discussion: """
                Example:
                  fencepost token revoke tok_01jq2v8xk3m4n5p6q7r8s9t0vw
                """)

        @OptionGroup var storage: StorageArguments

        @Argument(help: "Ids, as list shows them.")
        var ids: [String]

        func run() async throws {
            let ids = ids
            let missing = try await storage.withTokens { store in
                var missing: [String] = []
                for id in ids where try await !store.removeToken(id: id) { missing.append(id) }
                return missing
            }
            for id in missing { Console.say("There is no token \(id).") }
            guard missing.isEmpty else { throw ExitStatus.noInput.exit }
        }
    }

    fileprivate static func encode(_ token: AccessToken, text: String? = nil) -> String {
        var writer = JSONWriter()
        writer.value(token, text: text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension AccessToken.Scope: ExpressibleByArgument {}

extension StorageArguments {
    /// Opens the storage, which no server may have open.
    fileprivate func withTokens<Value: Sendable>(
        _ body: @Sendable (any AccessStore) async throws -> Value
    ) async throws -> Value {
        let settings = try ConfigurationLayers.read(file: config).configuration.storage
        let store: SQLiteStore
        do throws(StoreError) {
            store = try SQLiteStore(settings)
        } catch {
            Console.say("fencepost: \(error)")
            if error.code == .locked { Console.say("A running server issues tokens itself, at POST /v1/tokens.") }
            throw error.exitStatus.exit
        }
        do {
            let value = try await body(store)
            try store.close()
            return value
        } catch let error as StoreError {
            Console.say("fencepost: \(error)")
            throw error.exitStatus.exit
        }
    }
}
