import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes

/// Routes that sign users in and out.
extension API {
    var sessionRoutes: [Route] {
        [
            getAccess, postSession, listSessions, getSession, deleteSession, deleteOtherSession, postPassword,
            patchOwnUser,
        ]
    }

    private static let tag = "Users"

    /// For the page, which shows the sign-in form or signs in by its cookie, without an error in the log of the browser.
    private var getAccess: Route {
        Route(
            method: .get, path: "/v1/access", name: "getAccess",
            summary: "What the caller may do, with or without a session or a token", tag: Self.tag, access: .open,
            traffic: .exempt, successes: [.json(Schema.named("Access"), "The rights of the caller.")],
            partition: .configuration,
            handle: { call in
                var caller = try await sessions.caller(call.headers)
                if call.headers[.authorization] != nil {
                    caller = try await authenticator.caller(
                        call.headers, call.query, .bearer, from: proxies.client(call.headers, peer: call.address))
                }
                let needsFirstUser = try await store.users().isEmpty
                var response = RouteResponse { writer in
                    writer.beginObject()
                    writer.list(
                        "scopes", AccessToken.Scope.allCases.filter { caller?.has($0) ?? false }.map(\.rawValue))
                    writer.member("isLimited", caller?.isLimited ?? true)
                    if let user = caller?.signedIn?.user {
                        writer.name("user")
                        writer.value(user)
                    }
                    writer.member("needsFirstUser", needsFirstUser)
                    if let caller, caller.token != nil { writer.member("timeZone", services.zone.current?.identifier) }
                    if let provider {
                        writer.name("signIn")
                        writer.beginObject()
                        writer.member("provider", provider.settings.title)
                        writer.member("passwords", provider.settings.passwords.rawValue)
                        writer.endObject()
                        if caller?.signedIn?.session.provider != nil { writer.member("signOut", Self.signOutPath) }
                    }
                    writer.endObject()
                }
                // The browser keeps the cookie as long as the session lasts.
                if let caller, caller.signedIn != nil { response.headers[.setCookie] = cookie(caller.secret, call) }
                return response
            })
    }

    private var postSession: Route {
        Route(
            method: .post, path: "/v1/sessions", name: "postSession",
            summary: "Signs a user in and sets the cookie of the session", tag: Self.tag, access: .open,
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewSession"),
                example: #"{"user":"jane","password":"correct horse battery staple"}"#,
                limit: Route.Body.accountLimit),
            successes: [.created(Schema.named("Session"), "The session. Set-Cookie has its secret.")],
            failures: [.unauthorized, .forbidden, .tooManyRequests, .serviceUnavailable],
            partition: .configuration,
            handle: { call in
                let root = try call.json().root
                try root.checkMembers(["user", "password"])
                guard let name = root["user"]?.string, let password = root["password"]?.string else {
                    throw Problem.invalid("invalid_value", "The body has to have a user and a password.")
                }
                // Before anything is done with them: what nobody can have costs nothing.
                guard name.utf8.count <= TextLimit.userName.bytes, password.utf8.count <= TextLimit.password.bytes
                else {
                    throw Problem.invalid("invalid_value", "A user's name and password have at most 1,024 bytes.")
                }
                guard provider?.settings.passwords != ProviderSettings.Passwords.none else { throw Self.passwordsOff }
                let user = try await user(name, password, call)
                guard provider?.settings.passwords.admit(user.role) ?? true else { throw Self.passwordsOff }
                let begun = try await begin(user, call)
                var response = RouteResponse(.created) { $0.value(begun.session, user: user, isCurrent: true) }
                    .located(at: "/v1/sessions/\(begun.session.id)")
                response.headers[.setCookie] = cookie(begun.secret, call)
                return response
            })
    }

    private static let passwordsOff = Problem.forbidden(
        "passwords_off", "Sign in at the provider: passwords are switched off here.")

    /// The user with a name and a password. An unknown name takes as long as a wrong password.
    private func user(_ name: String, _ password: String, _ call: Call) async throws -> User {
        let address = proxies.client(call.headers, peer: call.address)
        try signInLimiter.begin(name, from: address, now: clock.now())
        let user = try await store.user(named: name)
        // Who signs in at a provider alone has no hash.
        let hash = user.flatMap { $0.hasNoPassword ? nil : $0.passwordHash }
        guard try await passwords.matches(password, hash, for: address), let user else { throw Problem.wrongPassword }
        return user
    }

    /// Begins a session with a new secret, whatever cookie the request has: nobody can choose the secret of another's
    /// session.
    ///
    /// - Returns: the session, and the secret of its cookie.
    /// - Throws: `wrongPassword` when the password was changed while it was checked, or the user was removed.
    func begin(
        _ user: User, _ call: Call, at provider: ProviderSession? = nil
    ) async throws -> (session: UserSession, secret: String) {
        if let old = try await sessions.caller(call.headers)?.signedIn {
            _ = try await store.removeSession(id: old.session.id)
        }
        var generator = makeGenerator()
        let secret = TokenText.make(SessionCookie.prefix, using: &generator)
        var session = UserSession(
            id: newID("ses_"), hash: TokenText.hash(secret), userID: user.id, createdAt: clock.now())
        session.client = call.headers[.userAgent].map { TextLimit.truncated($0, to: 256) }
        session.address = proxies.client(call.headers, peer: call.address)
        session.provider = provider
        guard try await store.add(session, checkedBy: user.passwordHash) else { throw Problem.wrongPassword }
        signInLimiter.succeed(user.name, from: proxies.client(call.headers, peer: call.address))
        sessions.didChange()
        return (session, secret)
    }

    func cookie(_ secret: String?, _ call: Call) -> String {
        SessionCookie.setting(
            secret, lifetime: UserSession.lifetime, isSecure: proxies.isSecure(call.headers, peer: call.address))
    }

    private var listSessions: Route {
        Route(
            method: .get, path: "/v1/sessions", name: "listSessions", summary: "Lists the sessions of a user",
            tag: Self.tag, access: .caller,
            parameters: [
                Route.Parameter(
                    name: "userId", schema: Schema.string,
                    text: "The user, for administrators. By default the one of the session.")
            ],
            successes: [.json(Schema.list(of: Schema.named("Session")), "All sessions that have not ended.")],
            failures: [.notFound],
            partition: .configuration,
            handle: { call in
                let own = call.caller.signedIn
                guard let id = call.query["userId"] ?? own?.user.id else { throw Problem.missingParameter("userId") }
                guard id == own?.user.id || call.caller.isAdministrator else { throw Problem.notFound("user") }
                guard let user = try await store.user(id: id) else {
                    throw Problem.notFound("user")
                }
                let found = try await store.sessions(of: id).filter { $0.expires > clock.now() }
                return call.page(found, next: nil) {
                    $0.value($1, user: user, isCurrent: $1.id == own?.session.id)
                }
            })
    }

    private var getSession: Route {
        Route(
            method: .get, path: "/v1/sessions/current", name: "getSession", summary: "Shows the caller's session",
            tag: Self.tag, access: .caller, successes: [.json(Schema.named("Session"), "The session.")],
            failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let own = try call.session()
                return RouteResponse { $0.value(own.session, user: own.user, isCurrent: true) }
            })
    }

    private var deleteSession: Route {
        Route(
            method: .delete, path: "/v1/sessions/current", name: "deleteSession", summary: "Signs the caller out",
            tag: Self.tag, access: .caller, successes: [.noContent("The session has ended.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                _ = try await store.removeSession(id: try call.session().session.id)
                sessions.didChange()
                var response = RouteResponse.noContent
                response.headers[.setCookie] = cookie(nil, call)
                return response
            })
    }

    private var deleteOtherSession: Route {
        Route(
            method: .delete, path: "/v1/sessions/{id}", name: "deleteOtherSession",
            summary: "Ends a session of the caller, or for administrators of any user", tag: Self.tag, access: .caller,
            parameters: [.id("session")], successes: [.noContent("The session has ended.")],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                if !call.caller.isAdministrator {
                    guard let user = call.caller.signedIn?.user,
                        try await store.sessions(of: user.id).contains(where: { $0.id == id })
                    else { throw Problem.notFound("session") }
                }
                let wasThere = try await store.removeSession(id: id)
                sessions.didChange()
                guard wasThere else { throw Problem.notFound("session") }
                return .noContent
            })
    }

    private var postPassword: Route {
        Route(
            method: .post, path: "/v1/sessions/current/password", name: "postPassword",
            summary: "Changes the caller's password and ends all other sessions", tag: Self.tag, access: .caller,
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewPassword"),
                example: #"{"password":"correct horse battery staple","newPassword":"another long password"}"#,
                limit: Route.Body.accountLimit),
            successes: [.noContent("The password was changed.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let own = try call.session()
                guard provider?.settings.passwords.admit(own.user.role) ?? true else { throw Self.passwordsOff }
                guard !own.user.hasNoPassword else {
                    throw Problem.conflict("no_password", "The user has no password, and signs in at the provider.")
                }
                let root = try call.json().root
                try root.checkMembers(["password", "newPassword"])
                guard let old = root["password"]?.string, old.utf8.count <= TextLimit.password.bytes else {
                    throw Problem.invalid("invalid_value", "The body has to have the present password.")
                }
                let new = try UserDraft.password(root["newPassword"], at: "/newPassword")
                let address = proxies.client(call.headers, peer: call.address)
                try signInLimiter.begin(own.user.name, from: address, now: clock.now())
                guard try await passwords.matches(old, own.user.passwordHash, for: address) else {
                    throw Problem.forbidden("wrong_password", "The present password is wrong.")
                }
                signInLimiter.succeed(own.user.name, from: address)
                let hash = try await passwords.hash(new, for: address)
                _ = try await change(own.user.id, ending: .all(except: own.session.id)) { user in
                    // Somebody else has set another password in the meantime.
                    guard user.passwordHash == own.user.passwordHash else {
                        throw Problem.forbidden("wrong_password", "The present password is wrong.")
                    }
                    user.passwordHash = hash
                }
                return .noContent
            })
    }

    private var patchOwnUser: Route {
        Route(
            method: .patch, path: "/v1/sessions/current/user", name: "patchOwnUser",
            summary: "Changes what the caller may set for itself: the time zone of the page", tag: Self.tag,
            access: .caller,
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("OwnUserChange"),
                example: #"{"timeZone":"Europe/Lisbon"}"#, limit: Route.Body.accountLimit),
            successes: [.json(Schema.named("User"), "The changed user.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let own = try call.session()
                let root = try call.json().root
                try root.checkMembers(["timeZone"])
                guard let element = root["timeZone"] else {
                    throw Problem.invalid(
                        "invalid_value", "The body has to have a timeZone; null is that of the service.")
                }
                let zone = try UserDraft.timeZone(element)
                let user = try await change(own.user.id, ending: .none) { $0.timeZone = zone }
                return RouteResponse { $0.value(user) }
            })
    }
}

extension Call {
    /// The session of the request.
    fileprivate func session() throws(Problem) -> SignedIn {
        guard let signedIn = caller.signedIn else {
            throw .conflict("no_session", "The request has a token and no session.")
        }
        return signedIn
    }
}

extension JSONWriter {
    mutating func value(_ session: UserSession, user: User, isCurrent: Bool) {
        beginObject()
        member("id", session.id)
        name("user")
        value(user)
        member("createdAt", session.createdAt)
        member("lastUsed", session.lastUsed)
        member("expires", session.expires)
        member("client", session.client)
        member("address", session.address)
        if session.provider != nil { member("provider", true) }
        member("isCurrent", isCurrent)
        endObject()
    }
}

extension HTTPField.Name {
    static let setCookie = HTTPField.Name(literal: "Set-Cookie")
}
