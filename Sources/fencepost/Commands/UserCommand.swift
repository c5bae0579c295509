public import ArgumentParser
import FencepostAppCommands
import FencepostCrypto
import FencepostJSON
import FencepostModel
import FencepostOperation
import FencepostServer
public import FencepostService
import FencepostStore
import Foundation

/// Manages the users who sign in to the page with a name and a password.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Adds, lists and removes users, and sets their passwords.",
        discussion: """
            Example:
              fencepost user add jane --role admin

            The password is read from the terminal, or from the first line of standard input. The command needs the \
            database, so no server may run. A running server does the same at /v1/users and in the Access tab of its \
            page.
            """,
        subcommands: [Add.self, List.self, Remove.self, Password.self])

    /// Adds a user.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a user.",
            discussion: """
                Example:
                  fencepost user add sam --role viewer --tag vans

                Roles: viewer reads; editor also sends locations and changes regions, apps and endpoints; admin may do \
                everything.
                """)

        @OptionGroup var storage: StorageArguments

        @Argument(help: "The name to sign in with.")
        var name: String

        @Option(name: .long, help: "admin, editor or viewer.")
        var role = User.Role.viewer

        @Option(
            name: .long, parsing: .singleValue,
            help: "A group whose devices and regions the user sees; can be repeated. Without it and --device: all.")
        var tag: [String] = []

        @Option(
            name: .long, parsing: .singleValue,
            help: "A device that the user sees, or a pattern such as jane/*; can be repeated.")
        var device: [String] = []

        @Option(
            name: .long,
            help: "The time zone that the page shows the user, such as Europe/Lisbon; by default that of the service.")
        var timeZone: String?

        func validate() throws {
            if let timeZone, !UserDraft.isTimeZone(timeZone) {
                throw ValidationError(
                    "There is no time zone \"\(timeZone)\": write its IANA name, such as Europe/Lisbon.")
            }
            guard UserDraft.isName(name) else {
                throw ValidationError(
                    "A name has 1 to 64 characters, without control characters or spaces at its ends.")
            }
            guard role != .admin || (tag.isEmpty && device.isEmpty) else {
                throw ValidationError("An administrator sees all devices: leave --tag and --device out.")
            }
        }

        func run() async throws {
            let hash = try UserCommand.readPassword()
            var generator = SystemRandomNumberGenerator()
            var identity = Identity()
            identity.add(Int64(bitPattern: generator.next()))
            identity.add(Int64(bitPattern: generator.next()))
            var user = User(
                id: identity.text(prefix: "usr_"), name: name, passwordHash: hash, role: role,
                createdAt: WallClock.now)
            user.tags = tag.isEmpty ? nil : tag
            user.devices = device.isEmpty ? nil : device.map { GlobPattern($0) }
            user.timeZone = timeZone
            let added = user
            guard try await storage.withUsers({ try await $0.add(added) }) else {
                Console.say(
                    "There is a user \(name) already. Set another password with: fencepost user password \(name)")
                throw ExitStatus.badData.exit
            }
            Console.say("The user \(name) was added.")
        }
    }

    /// Lists the users.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the users by name.",
            discussion: """
                Example:
                  fencepost user list --json
                """)

        @OptionGroup var storage: StorageArguments

        @Flag(name: .long, help: "Print one JSON object per line.")
        var json = false

        func run() async throws {
            let users = try await storage.withUsers { try await $0.users() }
            for user in users { print(json ? Self.encode(user) : Self.describe(user)) }
            if users.isEmpty { Console.say("There are no users.") }
        }

        private static func encode(_ user: User) -> String {
            var writer = JSONWriter()
            writer.value(user)
            return String(decoding: writer.bytes, as: UTF8.self)
        }

        private static func describe(_ user: User) -> String {
            var parts = [user.name, user.role.rawValue]
            if let tags = user.tags { parts.append("groups \(tags.joined(separator: ", "))") }
            if let devices = user.devices { parts.append("devices \(devices.map(\.rawValue).joined(separator: ", "))") }
            if let zone = user.timeZone { parts.append("time zone \(zone)") }
            return parts.joined(separator: "  ")
        }
    }

    /// Removes users.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes users by name and ends their sessions.",
            discussion: """
                Example:
                  fencepost user remove sam
                """)

        @OptionGroup var storage: StorageArguments

        @Argument(help: "Names of users.")
        var names: [String]

        func run() async throws {
            let names = names
            let missing = try await storage.withUsers { store in
                var missing: [String] = []
                for name in names {
                    guard let user = try await store.user(named: name), try await store.removeUser(id: user.id) else {
                        missing.append(name)
                        continue
                    }
                }
                return missing
            }
            for name in missing { Console.say("The user \(name) does not exist.") }
            guard missing.isEmpty else { throw ExitStatus.noInput.exit }
        }
    }

    /// Sets the password of a user.
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the password of a user and ends the user's sessions.",
            discussion: """
                Example:
                  fencepost user password jane
                """)

        @OptionGroup var storage: StorageArguments

        @Argument(help: "The name of the user.")
        var name: String

        func run() async throws {
            let (hash, name) = (try UserCommand.readPassword(), name)
            let wasThere = try await storage.withUsers { store in
                guard let user = try await store.user(named: name) else { return false }
                var changed = user
                changed.passwordHash = hash
                return try await store.replace(user, with: changed, ending: .all(except: nil)) == .replaced
            }
            guard wasThere else {
                Console.say("The user \(name) does not exist.")
                throw ExitStatus.noInput.exit
            }
            Console.say("The password was set.")
        }
    }

    /// Reads a password from the terminal without showing it, or from the first line of standard input.
    ///
    /// - Returns: its hash.
    fileprivate static func readPassword() throws -> String {
        let password: String?
        if isatty(STDIN_FILENO) == 1 {
            password = getpass("Password: ").map { String(cString: $0) }
            guard password == getpass("Again: ").map({ String(cString: $0) }) else {
                throw ValidationError("The two passwords differ.")
            }
        } else {
            password = readLine()
        }
        guard let password, TextLimit.password.admits(password), let bytes = UserDraft.bytes(ofPassword: password)
        else {
            throw ValidationError("A password has 8 to 256 characters. It is read from standard input.")
        }
        guard let hash = PasswordHash.make(bytes) else {
            Console.say("fencepost: there is not enough memory to hash a password; 64 MiB are needed.")
            throw ExitStatus.unavailable.exit
        }
        return hash
    }
}

extension User.Role: ExpressibleByArgument {}

extension StorageArguments {
    /// Opens the database, which no server may have open.
    fileprivate func withUsers<Value: Sendable>(
        _ body: @Sendable (any UserStore) async throws -> Value
    ) async throws -> Value {
        let settings = try ConfigurationLayers.read(file: config).configuration.storage
        let store: SQLiteStore
        do throws(StoreError) {
            store = try SQLiteStore(settings)
        } catch {
            Console.say("fencepost: \(error)")
            if error.code == .locked {
                Console.say("The server is running. Use the Access tab of its page, or /v1/users.")
            }
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
