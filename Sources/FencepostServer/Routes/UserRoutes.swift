import FencepostFormats
import FencepostHTTP
public import FencepostJSON
import FencepostModel
public import FencepostService
import Foundation
import HTTPTypes

/// Routes of users and of groups of devices.
extension API {
    var userRoutes: [Route] {
        [listUsers, getUser, postUser, patchUser, deleteUser, listGroups, putGroup, deleteGroup]
    }

    private static let tag = "Users"

    private var listUsers: Route {
        Route(
            method: .get, path: "/v1/users", name: "listUsers", summary: "Lists users by name", tag: Self.tag,
            access: .unbound(.admin),
            successes: [.json(Schema.list(of: Schema.named("User")), "All users, on one page.")],
            partition: .configuration,
            handle: { call in call.page(try await store.users(), next: nil) { $0.value($1) } })
    }

    private func user(_ call: Call) async throws -> User {
        guard let user = try await store.user(id: call.parameter("id")) else { throw Problem.notFound("user") }
        return user
    }

    private var getUser: Route {
        Route(
            method: .get, path: "/v1/users/{id}", name: "getUser", summary: "Shows a user", tag: Self.tag,
            access: .unbound(.admin), parameters: [.id("user")],
            successes: [.json(Schema.named("User"), "The user, without the password.")],
            partition: .configuration,
            handle: { call in
                let user = try await user(call)
                return RouteResponse { $0.value(user) }
            })
    }

    private var postUser: Route {
        Route(
            method: .post, path: "/v1/users", name: "postUser", summary: "Adds a user", tag: Self.tag,
            access: .unbound(.admin),
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewUser"),
                example:
                    #"{"name":"jane","password":"correct horse battery staple","role":"viewer","tags":["family"]}"#,
                limit: Route.Body.accountLimit),
            successes: [.created(Schema.named("User"), "The user was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let draft = try UserDraft(try call.json().root, isNew: true, mayBeInvited: provider != nil)
                var hash = ""
                if let password = draft.password { hash = try await passwords.hash(password, for: call.owner) }
                var user = User(
                    id: newID("usr_"), name: draft.name ?? "", passwordHash: hash, role: draft.role ?? .viewer,
                    createdAt: clock.now())
                try draft.apply(to: &user)
                guard try await store.add(user) else { throw Self.nameTaken }
                sessions.didChange()
                return RouteResponse(.created) { [user] in $0.value(user) }.located(at: "/v1/users/\(user.id)")
            })
    }

    private var patchUser: Route {
        Route(
            method: .patch, path: "/v1/users/{id}", name: "patchUser",
            summary: "Changes a user. A new password ends all sessions of the user", tag: Self.tag,
            access: .unbound(.admin), parameters: [.id("user")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("UserChange"), example: #"{"role":"editor"}"#,
                limit: Route.Body.accountLimit),
            successes: [.json(Schema.named("User"), "The changed user.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let draft = try UserDraft(try call.json().root, isNew: false)
                let id = try await user(call).id
                var hash: String?
                if let password = draft.password { hash = try await passwords.hash(password, for: call.owner) }
                let ended = hash.map { _ in EndedSessions.all(except: call.caller.signedIn?.session.id) } ?? .none
                let user = try await change(id, ending: ended) { [hash] user in
                    try draft.apply(to: &user)
                    // What an administrator gives stays also without the group that gave it before.
                    if draft.role != nil { user.identity?.hasGroupRole = false }
                    if let hash { user.passwordHash = hash }
                }
                return RouteResponse { $0.value(user) }
            })
    }

    private static let nameTaken = Problem.conflict("user_exists", "Another user has this name.")

    /// Changes a user as the store has it now. What others change at the same time stays.
    ///
    /// - Parameters:
    ///   - id: the id of the user.
    ///   - ended: which sessions end with the change.
    ///   - apply: changes the members that the request is about; called again when the user was changed in the meantime.
    /// - Returns: the changed user.
    /// - Throws: a `Problem` when there is no such user or another one has the name, and what `apply` throws.
    func change(
        _ id: String, ending ended: EndedSessions, _ apply: (inout User) throws -> Void
    ) async throws -> User {
        while true {
            guard let former = try await store.user(id: id) else { throw Problem.notFound("user") }
            var user = former
            try apply(&user)
            switch try await store.replace(former, with: user, ending: ended) {
            case .replaced:
                sessions.didChange()
                return user
            case .nameTaken: throw Self.nameTaken
            case .differs: continue
            }
        }
    }

    private var deleteUser: Route {
        Route(
            method: .delete, path: "/v1/users/{id}", name: "deleteUser",
            summary: "Removes a user and ends all sessions of the user", tag: Self.tag, access: .unbound(.admin),
            parameters: [.id("user")], successes: [.noContent("The user was removed.")],
            partition: .configuration,
            handle: { call in
                let wasThere = try await store.removeUser(id: call.parameter("id"))
                sessions.didChange()
                guard wasThere else { throw Problem.notFound("user") }
                return .noContent
            })
    }

    // MARK: Groups

    private var listGroups: Route {
        Route(
            method: .get, path: "/v1/groups", name: "listGroups", summary: "Lists the groups of devices by tag",
            tag: Self.tag, access: .scope(.read),
            successes: [
                .json(
                    Schema.list(of: Schema.named("Group")),
                    "The groups that the caller sees, on one page; for the token of a device with this device alone.")
            ],
            partition: .configuration,
            handle: { call in
                var groups = try await store.groups().filter(call.caller.maySee)
                if let device = call.caller.deviceID {
                    // The other devices of the group are none of its business.
                    for index in groups.indices { groups[index].devices = [GlobPattern(device.rawValue)] }
                }
                return call.page(groups, next: nil) { $0.value($1) }
            })
    }

    private var putGroup: Route {
        Route(
            method: .put, path: "/v1/groups/{id}", name: "putGroup",
            summary: "Says which devices belong to a tag. Regions belong to it by their tags", tag: Self.tag,
            access: .unbound(.admin), parameters: [.id("group: its tag")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewGroup"), example: #"{"devices":["van-*"]}"#),
            successes: [.json(Schema.named("Group"), "The group.")],
            partition: .configuration,
            handle: { call in
                let root = try call.json().root
                try root.checkMembers(["devices"])
                let tag = call.parameter("id")
                guard TextLimit.tag.admits(tag) else {
                    throw Problem.invalid("invalid_value", "A tag has to have 1 to 64 characters.")
                }
                guard let patterns = UserDraft.texts(root["devices"], .deviceID), !patterns.isEmpty else {
                    throw UserDraft.problem("/devices", UserDraft.patternsDetail)
                }
                let group = DeviceGroup(tag: tag, devices: patterns.map { GlobPattern($0) })
                try await store.save(group)
                sessions.didChange()
                // Alert rules can name groups.
                try await monitoring.alertRulesDidChange()
                return RouteResponse { $0.value(group) }
            })
    }

    private var deleteGroup: Route {
        Route(
            method: .delete, path: "/v1/groups/{id}", name: "deleteGroup",
            summary: "Removes a group. Users with its tag no longer see its devices", tag: Self.tag,
            access: .unbound(.admin), parameters: [.id("group: its tag")],
            successes: [.noContent("The group was removed.")],
            partition: .configuration,
            handle: { call in
                let wasThere = try await store.removeGroup(tag: call.parameter("id"))
                sessions.didChange()
                try await monitoring.alertRulesDidChange()
                guard wasThere else { throw Problem.notFound("group") }
                return .noContent
            })
    }
}

/// A request for a user, or for the change of one.
public struct UserDraft: Sendable {
    private static let keys = ["name", "password", "role", "devices", "tags", "timeZone"]
    static let patternsDetail = "The value has to be an array of 1 to 500 device ids or patterns such as van-*."

    private(set) var name: String?
    private(set) var password: String?
    private(set) var role: User.Role?
    private var devices: [GlobPattern]??
    private var tags: [String]??
    private var timeZone: String??

    /// - Parameters:
    ///   - root: the body.
    ///   - isNew: whether name, password and role have to be there.
    ///   - mayBeInvited: whether the password may be null, since the user signs in at a provider.
    /// - Throws: a `Problem` with the member that is wrong.
    init(_ root: JSONElement, isNew: Bool, mayBeInvited: Bool = false) throws(Problem) {
        try root.checkMembers(Self.keys)
        if let element = root["name"] {
            guard let name = element.string, Self.isName(name) else { throw Self.problem("/name", Self.nameDetail) }
            self.name = name
        } else if isNew {
            throw Self.problem("/name", Self.nameDetail)
        }
        if mayBeInvited, let element = root["password"], element.isNull {
            password = nil
        } else if root["password"] != nil || isNew {
            password = try Self.password(root["password"], at: "/password")
        }
        if root["role"] != nil || isNew {
            guard let role = root["role"]?.string.flatMap(User.Role.init(rawValue:)) else {
                let known = User.Role.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw Self.problem("/role", "The value has to be one of \(known).")
            }
            self.role = role
        }
        if let element = root["devices"] {
            if element.isNull {
                devices = .some(nil)
            } else if let texts = Self.texts(element, .deviceID) {
                devices = texts.map { GlobPattern($0) }
            } else {
                throw Self.problem("/devices", Self.patternsDetail)
            }
        }
        if let element = root["tags"] {
            if element.isNull {
                tags = .some(nil)
            } else if let texts = Self.texts(element, .tag) {
                tags = texts
            } else {
                throw Self.problem("/tags", "The value has to be an array of at most 500 tags of 1 to 64 characters.")
            }
        }
        if let element = root["timeZone"] { timeZone = .some(try Self.timeZone(element)) }
    }

    /// The name of a time zone; `nil` for null, the zone of the service.
    static func timeZone(_ element: JSONElement) throws(Problem) -> String? {
        if element.isNull { return nil }
        guard let name = element.string, isTimeZone(name) else {
            throw problem(
                "/timeZone",
                "The value has to be the IANA name of a time zone, such as Europe/Lisbon, or null for that of the service."
            )
        }
        return name
    }

    /// Whether a text is the name of a time zone.
    public static func isTimeZone(_ name: String) -> Bool { TimeZone(identifier: name) != nil }

    static let passwordDetail = "The value has to be a password of 8 to 256 characters, and of at most 1,024 bytes."
    static let nameDetail =
        "The value has to be a name of 1 to 64 characters, without control characters or spaces at its ends."

    /// Whether a text can be the name of a user.
    public static func isName(_ name: String) -> Bool {
        TextLimit.userName.admits(name) && name.first != " " && name.last != " "
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    static func password(_ element: JSONElement?, at pointer: String) throws(Problem) -> String {
        guard let password = element?.string, TextLimit.password.admits(password) else {
            throw problem(pointer, passwordDetail)
        }
        return password
    }

    /// The bytes of a password that are hashed: keyboards write some letters in two ways, of which one is chosen.
    ///
    /// - Returns: `nil` for a text that is too long for a password, which could take minutes to compose.
    public static func bytes(ofPassword password: String) -> [UInt8]? {
        guard password.utf8.count <= TextLimit.password.bytes else { return nil }
        return Array(password.precomposedStringWithCanonicalMapping.utf8)
    }

    /// At most 500 texts, each within a limit; `nil` for another value.
    static func texts(_ element: JSONElement?, _ limit: TextLimit) -> [String]? {
        guard let array = element?.array, array.count <= 500 else { return nil }
        let texts = array.compactMap(\.string).filter { limit.admits($0) }
        return texts.count == array.count ? texts : nil
    }

    static func problem(_ pointer: String, _ detail: String) -> Problem {
        .invalid(
            "invalid_value", "The request is invalid: \(detail)",
            [Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail)])
    }

    func apply(to user: inout User) throws(Problem) {
        if let name { user.name = name }
        if let role { user.role = role }
        if let devices { user.devices = devices }
        if let tags { user.tags = tags }
        if let timeZone { user.timeZone = timeZone }
        guard user.role != .admin || (user.devices == nil && user.tags == nil) else {
            throw Self.problem("/role", "An administrator sees all devices: leave devices and tags out.")
        }
    }
}

extension JSONWriter {
    /// A user without the password.
    public mutating func value(_ user: User) {
        beginObject()
        member("id", user.id)
        member("name", user.name)
        member("role", user.role.rawValue)
        if let devices = user.devices { list("devices", devices.map(\.rawValue)) }
        if let tags = user.tags { list("tags", tags) }
        if let zone = user.timeZone { member("timeZone", zone) }
        if user.hasNoPassword { member("signIn", "provider") }
        if let identity = user.identity {
            name("provider")
            beginObject()
            member("issuer", identity.issuer)
            member("subject", identity.subject)
            endObject()
        }
        member("createdAt", user.createdAt)
        endObject()
    }

    mutating func value(_ group: DeviceGroup) {
        beginObject()
        member("tag", group.tag)
        list("devices", group.devices.map(\.rawValue))
        endObject()
    }
}
