import FencepostCrypto
import FencepostGeometry
import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Logging

/// Routes by which users sign in at a provider of identities (OpenID Connect).
extension API {
    var providerRoutes: [Route] { [beginSignIn, endSignIn, signOutAtProvider, postBackchannelLogout] }

    private static let tag = "Users"
    private static let callbackPath = "/v1/oidc/callback"
    static let signOutPath = "v1/oidc/logout"

    /// Why a sign-in did not succeed, as the address of the page says it.
    private enum Outcome: String {
        case providerAway = "provider_away"
        case denied, refused, expired
        case invalidToken = "invalid_token"
        case nameTaken = "name_taken"
    }

    private func needProvider() throws(Problem) -> any SignInProvider {
        guard let provider else {
            throw Problem(.notFound, "no_provider", "The configuration names no provider of identities (oidc.issuer).")
        }
        return provider
    }

    private var beginSignIn: Route {
        Route(
            method: .get, path: "/v1/oidc/login", name: "beginSignIn",
            summary: "Leads a browser to the provider of identities", tag: Self.tag, access: .open, traffic: .exempt,
            successes: [
                Route.Success(status: .seeOther, text: "Location is the provider, or the page with a problem.")
            ],
            failures: [.notFound],
            partition: .configuration,
            handle: { call in
                let provider = try needProvider()
                var generator = makeGenerator()
                let attempt = SignInCookie.makeAttempt(using: &generator)
                do throws(SignInFailure) {
                    let redirect = try origin(of: call) + Self.callbackPath
                    var response = RouteResponse(.seeOther)
                    response.headers[.location] = try await provider.signInURL(attempt, redirect: redirect)
                    response.headers[.setCookie] = SignInCookie.setting(
                        attempt, isSecure: proxies.isSecure(call.headers, peer: call.address))
                    return response
                } catch {
                    return failed(error, call)
                }
            })
    }

    private var endSignIn: Route {
        Route(
            method: .get, path: Self.callbackPath, name: "endSignIn",
            summary: "Where the provider of identities leads the browser back to", tag: Self.tag, access: .open,
            traffic: .exempt,
            parameters: [
                ("code", "What the provider gives for a token."), ("state", "The secret of this sign-in."),
                ("iss", "The provider (RFC 9207)."), ("error", "Why the provider refuses."),
                ("error_description", "The same for people."),
            ].map { Route.Parameter(name: $0.0, schema: Schema.string, text: $0.1) },
            rejectsOtherParameters: false, takesHead: false,
            successes: [
                Route.Success(
                    status: .ok, type: "text/html", schema: Schema.string,
                    text: "A page that leads to the map. Set-Cookie has the secret of the session."),
                Route.Success(
                    status: .seeOther,
                    text: "Location is the page, whose parameter signIn names the problem and reason that of a token."),
            ],
            failures: [.notFound, .tooManyRequests],
            partition: .configuration,
            handle: { call in
                let provider = try needProvider()
                // Not all providers send the state with an error.
                let attempt = attempt(of: call)
                if let error = call.query["error"] {
                    let words = [error, call.query["error_description"]].compactMap { $0 }.joined(separator: ", ")
                    let denial = SignInFailure.denied("The provider says: \(TextLimit.truncated(words, to: 256)).")
                    return failed(denial, call, isOver: attempt != nil)
                }
                // An answer that this browser has not asked for would sign its user in as somebody else.
                guard let attempt, let code = call.query["code"] else {
                    logger.warning(
                        "an answer of the provider fits no sign-in of the browser",
                        metadata: ["hasCookie": "\(SignInCookie.attempt(in: call.headers) != nil)"])
                    return toPage(.expired, call, isOver: false)
                }
                do {
                    if let issuer = call.query["iss"], issuer != provider.settings.issuer {
                        throw SignInFailure.token(.answerIssuer)
                    }
                    return try await signIn(code, attempt, at: provider, call)
                } catch let failure as SignInFailure {
                    return failed(failure, call)
                }
            })
    }

    /// The sign-in of the browser to which an answer belongs; `nil` where it fits none.
    private func attempt(of call: Call) -> SignInAttempt? {
        guard let attempt = SignInCookie.attempt(in: call.headers), let state = call.query["state"],
            ConstantTime.areEqual(Array(state.utf8), Array(attempt.state.utf8))
        else { return nil }
        return attempt
    }

    /// Signs in who has a code of the provider.
    private func signIn(
        _ code: String, _ attempt: SignInAttempt, at provider: any SignInProvider, _ call: Call
    ) async throws -> RouteResponse {
        let address = proxies.client(call.headers, peer: call.address)
        // Each attempt makes the provider work.
        try signInLimiter.begin(from: address, now: clock.now())
        let identity = try await provider.identity(
            code: code, attempt, redirect: try origin(of: call) + Self.callbackPath)
        signInLimiter.succeed(from: address)
        switch try await admit(identity, provider.settings) {
        case .success(let user):
            let begun = try await begin(
                user, call, at: ProviderSession(id: identity.sessionID, token: identity.token))
            // A page of its own: a browser does not send the session's cookie with a navigation that began elsewhere.
            var response = RouteResponse(
                type: "text/html; charset=utf-8",
                text: """
                    <!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=../../">
                    <title>Fencepost</title><a href="../../">Fencepost</a>
                    """)
            response.headers[.setCookie] = cookie(begun.secret, call)
            response.headers.append(HTTPField(name: .setCookie, value: cookieOfNoAttempt(call)))
            return response
        case .failure(let refusal):
            logger.warning(
                "a sign-in at the provider was refused",
                metadata: ["reason": "\(refusal.outcome.rawValue)", "subject": "\(identity.subject)"])
            return toPage(refusal.outcome, call)
        }
    }

    private struct Refusal: Error {
        let outcome: Outcome
    }

    /// The user of an identity, as the groups of the identity have it now.
    private func admit(
        _ identity: ProvidedIdentity, _ settings: ProviderSettings
    ) async throws -> Result<User, Refusal> {
        while true {
            let known = try await store.user(ofProvider: settings.issuer, subject: identity.subject)
            var named: User?
            if let name = ProviderAdmission.invitedName(of: identity) { named = try await store.user(named: name) }
            let admission = ProviderAdmission(
                of: identity, by: settings, known: known, named: named, new: (newID("usr_"), clock.now()))
            switch admission {
            case .user(let former, let user):
                guard former != user else { return .success(user) }
                // Somebody else may have taken the invitation at this moment.
                guard try await store.replace(former, with: user, ending: .none) == .replaced else { continue }
                sessions.didChange()
                return .success(user)
            case .new(let user):
                guard try await store.add(user) else { return .failure(Refusal(outcome: .nameTaken)) }
                sessions.didChange()
                return .success(user)
            case .expelled(let former, let user):
                guard try await store.replace(former, with: user, ending: .all(except: nil)) == .replaced else {
                    continue
                }
                sessions.didChange()
                return .failure(Refusal(outcome: .refused))
            case .refused: return .failure(Refusal(outcome: .refused))
            case .nameTaken: return .failure(Refusal(outcome: .nameTaken))
            }
        }
    }

    private var signOutAtProvider: Route {
        Route(
            method: .get, path: "/" + Self.signOutPath, name: "signOutAtProvider",
            summary: "Signs the caller out, here and at the provider of identities", tag: Self.tag, access: .open,
            traffic: .exempt, takesHead: false,
            successes: [Route.Success(status: .seeOther, text: "Location is the provider, or the page.")],
            failures: [.notFound],
            partition: .configuration,
            handle: { call in
                let provider = try needProvider()
                var response = RouteResponse(.seeOther).located(at: "../../")
                // Another site cannot make the browser send the cookie.
                guard let own = try await sessions.caller(call.headers)?.signedIn else { return response }
                _ = try await store.removeSession(id: own.session.id)
                sessions.didChange()
                response.headers[.setCookie] = cookie(nil, call)
                if let session = own.session.provider,
                    let address = await provider.signOutURL(session.token, returningTo: try origin(of: call) + "/")
                {
                    response.headers[.location] = address
                }
                return response
            })
    }

    private var postBackchannelLogout: Route {
        Route(
            method: .post, path: "/v1/oidc/backchannel-logout", name: "postBackchannelLogout",
            summary: "Ends sessions that have ended at the provider of identities", tag: Self.tag, access: .open,
            traffic: .exempt,
            body: Route.Body(
                types: ["application/x-www-form-urlencoded"], schema: Schema.named("LogoutNotice"),
                example: #"{"logout_token":"eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl"}"#, limit: 16_384),
            successes: [Route.Success(status: .ok, text: "The sessions have ended.")],
            failures: [.badRequest, .notFound, .serviceUnavailable],
            partition: .configuration,
            handle: { call in
                let provider = try needProvider()
                guard let token = Query(String(decoding: call.body, as: UTF8.self))?["logout_token"] else {
                    throw Problem.unreadable("invalid_token", "The form has no logout_token.")
                }
                let ended: EndedSignIn
                do throws(SignInFailure) {
                    ended = try await provider.ended(by: token)
                } catch {
                    guard case .token(let fault) = error else {
                        throw Problem.unavailable("The keys of the provider cannot be read: \(error)")
                    }
                    throw Problem.unreadable("invalid_token", "The token does not count (\(fault.rawValue)): \(fault).")
                }
                try await end(ended, provider.settings)
                return RouteResponse(.ok)
            })
    }

    private func end(_ ended: EndedSignIn, _ settings: ProviderSettings) async throws {
        let candidates: [UserSession]
        if let subject = ended.subject {
            guard let user = try await store.user(ofProvider: settings.issuer, subject: subject) else { return }
            candidates = try await store.sessions(of: user.id)
        } else {
            candidates = try await store.sessions(ofProvider: ended.sessionID ?? "")
        }
        for session in candidates {
            guard let provider = session.provider, session.createdAt <= ended.time + .seconds(60) else { continue }
            // A session for which the provider has given no id ends with any of the person's.
            if let id = ended.sessionID, let own = provider.id, id != own { continue }
            _ = try await store.removeSession(id: session.id)
        }
        sessions.didChange()
    }

    // MARK: Answers

    /// Scheme and host of this service, as the browser sees it.
    private func origin(of call: Call) throws(SignInFailure) -> String {
        if let address = provider?.settings.publicURL { return address }
        guard let host = proxies.host(call.headers, peer: call.address, authority: call.authority) else {
            throw .denied("The request names no host: set oidc.publicURL.")
        }
        return (proxies.isSecure(call.headers, peer: call.address) ? "https://" : "http://") + host
    }

    private func cookieOfNoAttempt(_ call: Call) -> String {
        SignInCookie.setting(nil, isSecure: proxies.isSecure(call.headers, peer: call.address))
    }

    private func failed(_ failure: SignInFailure, _ call: Call, isOver: Bool = true) -> RouteResponse {
        logger.warning("a sign-in at the provider failed", metadata: ["reason": "\(failure)"])
        switch failure {
        case .away: return toPage(.providerAway, call, isOver: isOver)
        case .denied: return toPage(.denied, call, isOver: isOver)
        case .token(let fault): return toPage(.invalidToken, call, isOver: isOver, because: fault.rawValue)
        }
    }

    /// Leads the browser to the page, which says what the problem is.
    ///
    /// - Parameters:
    ///   - outcome: the problem.
    ///   - call: the request.
    ///   - isOver: whether the sign-in is over; another one of the browser may go on.
    ///   - reason: what is wrong with a token.
    /// - Returns: the response.
    private func toPage(
        _ outcome: Outcome, _ call: Call, isOver: Bool = true, because reason: String? = nil
    ) -> RouteResponse {
        var response = RouteResponse(.seeOther)
        response.headers[.location] =
            "../../?signIn=\(outcome.rawValue)" + (reason.map { "&reason=\($0)" } ?? "")
        if isOver { response.headers[.setCookie] = cookieOfNoAttempt(call) }
        return response
    }
}
