public import ArgumentParser
import FencepostAppCommands
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostOperation
import FencepostServer
public import FencepostService
import FencepostStore
import Foundation

/// Manages the tokens of the HTTP API.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Issues, lists and revokes tokens for the HTTP API.",
        discussion: """
            Example:
              fencepost token create --name "jane's phone" --scope ingest --device jane/phone

            While a service runs on the database, it does the work, and the tokens count at once.
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// Issues a token and prints it.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issues a token and prints it. Only its hash is stored, so it cannot be shown again.",
            discussion: """
                Example:
                  fencepost token create --name backup --scope read --scope admin --expires 2027-01-01T00:00:00Z

                Scopes: ingest stores locations; read shows stored data; write changes regions, apps and endpoints; \
                admin includes these three, exports and erases devices, and issues tokens. The command creates no \
                database, except with --storage.
                """)

        @OptionGroup var storage: StorageArguments
        @OptionGroup var service: ServiceArguments

        @Option(name: .long, help: "Name of the token. Without --device it is also the device of fixes without one.")
        var name: String

        @Option(name: .long, parsing: .singleValue, help: "ingest, read, write or admin; can be repeated.")
        var scope: [AccessToken.Scope]

        @Option(name: .long, help: "The only device that the token can send for and see.")
        var device: String?

        @Option(name: .long, help: "Expiry time, such as 2027-01-01T00:00:00Z.")
        var expires: String?

        @Option(
            name: .long, help: "A file with the key of the device's encrypted OwnTracks payloads, 1 to 32 bytes.",
            completion: .file())
        var encryptionKeyFile: String?

        @Option(
            name: .long, parsing: .singleValue,
            help: "A device that the OwnTracks app of this token shows as a friend; can be repeated.")
        var friend: [String] = []

        @Option(
            name: .long,
            help: "How many of the nearest regions the OwnTracks app of this token is sent, 2 to 20; none without it.")
        var regions: Int?

        @Flag(name: .long, help: "Print one JSON object.")
        var json = false

        func validate() throws {
            guard TokenText.nameLimit.admits(name) else {
                throw ValidationError("--name has to have 1 to 256 characters.")
            }
            guard friend.count <= AccessToken.mostFriends else {
                throw ValidationError("--friend can be given at most \(AccessToken.mostFriends) times.")
            }
            guard regions.map(AccessToken.regionRange.contains) ?? true else {
                let range = AccessToken.regionRange
                throw ValidationError("--regions is from \(range.lowerBound) to \(range.upperBound).")
            }
            guard !scope.isEmpty else { throw ValidationError("--scope is required.") }
        }

        func run() async throws {
            var generator = SystemRandomNumberGenerator()
            let now = WallClock.now
            var (text, token) = TokenText.issue(name: name, scopes: Set(scope), at: now, using: &generator)
            token.deviceID = try device.map(Self.deviceID)
            token.regions = regions
            if !friend.isEmpty { token.friends = try friend.map(Self.deviceID) }
            if let expires {
                guard let time = Timestamp(rfc3339: expires), time > now else {
                    throw ValidationError("\(expires) is not a time in the future, such as 2027-01-01T00:00:00Z.")
                }
                token.expires = time
            }
            if let encryptionKeyFile {
                var key = Array(try InputFile.bytes(of: encryptionKeyFile))
                while key.last == UInt8(ascii: "\n") || key.last == UInt8(ascii: "\r") { key.removeLast() }
                guard (1...32).contains(key.count) else { throw ValidationError("The key has to have 1 to 32 bytes.") }
                token.encryptionKey = key
            }
            if let service = try storage.connection(service) {
                (text, token) = try await TokenService(service).issue(token)
            } else {
                let issued = token
                try await storage.withTokens(creates: storage.storage != nil) { try await $0.save(issued) }
            }
            print(json ? TokenCommand.encode(token, text: text) : text)
        }

        private static func deviceID(_ text: String) throws -> DeviceID {
            do throws(Rejection) {
                return try DeviceID(validating: text)
            } catch {
                throw ValidationError("\"\(text)\" is not a device id: \(error.message).")
            }
        }
    }

    /// Lists the tokens, without their text, which is not stored.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the tokens, without their text.",
            discussion: """
                Example:
                  fencepost token list --json
                """)

        @OptionGroup var storage: StorageArguments
        @OptionGroup var service: ServiceArguments

        @Flag(name: .long, help: "Print one JSON object per line.")
        var json = false

        func run() async throws {
            let tokens: [AccessToken]
            if let service = try storage.connection(service) {
                tokens = try await TokenService(service).tokens()
            } else {
                tokens = try await storage.withTokens { try await $0.tokens() }.sorted { $0.id < $1.id }
            }
            for token in tokens { print(json ? TokenCommand.encode(token) : Self.describe(token)) }
            if tokens.isEmpty { Console.say("There are no tokens.") }
        }

        private static func describe(_ token: AccessToken) -> String {
            let scopes = AccessToken.Scope.allCases.filter(token.scopes.contains).map(\.rawValue)
            var parts = [token.id, scopes.joined(separator: "+"), token.name]
            if let device = token.deviceID { parts.append("only \(device)") }
            if let friends = token.friends {
                parts.append("friends \(friends.map(\.rawValue).joined(separator: ", "))")
            }
            if let regions = token.regions { parts.append("\(regions) regions") }
            if let expires = token.expires { parts.append("until \(expires.rfc3339)") }
            parts.append(token.lastUsed.map { "used \($0.rfc3339)" } ?? "never used")
            return parts.joined(separator: "  ")
        }
    }

    /// Revokes tokens.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes tokens by id.",
            discussion: """
                Example:
                  fencepost token revoke tok_01jq2v8xk3m4n5p6q7r8s9t0vw
                """)

        @OptionGroup var storage: StorageArguments
        @OptionGroup var service: ServiceArguments

        @Argument(help: "Token ids as shown by list.")
        var ids: [String]

        func run() async throws {
            let ids = ids
            let missing: [String]
            if let service = try storage.connection(service) {
                missing = try await TokenService(service).revoke(ids)
            } else {
                missing = try await storage.withTokens { store in
                    var missing: [String] = []
                    for id in ids where try await !store.removeToken(id: id) { missing.append(id) }
                    return missing
                }
            }
            for id in missing { Console.say("The token \(id) does not exist.") }
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
    /// Opens the database, which no service has open. `creates` is whether it may be a new one.
    fileprivate func withTokens<Value: Sendable>(
        creates: Bool = false, _ body: @Sendable (any AccessStore) async throws -> Value
    ) async throws -> Value {
        if !creates { _ = try existingPath() }
        do {
            let store = try SQLiteStore(try configuration().storage)
            let value = try await body(store)
            try store.close()
            return value
        } catch let error as StoreError {
            throw Self.exit(after: error)
        }
    }
}
