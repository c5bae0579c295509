import FencepostModel
import FencepostService

/// Whether somebody whom a provider of identities knows may sign in, and as which user.
enum ProviderAdmission: Equatable {
    /// A user who is there, as it has to be now.
    case user(former: User, now: User)
    /// A new user.
    case new(User)
    /// The identity may not sign in.
    case refused
    /// The identity may not sign in any more: the user keeps nothing that a group gave, and no session.
    case expelled(former: User, now: User)
    /// Another user has the name.
    case nameTaken

    /// Decides.
    ///
    /// - Parameters:
    ///   - identity: who it is at the provider.
    ///   - settings: the rules.
    ///   - known: the user who has signed in as this identity before.
    ///   - named: the user who has the name, for the first time.
    ///   - new: what a new user gets: its id, and now.
    init(
        of identity: ProvidedIdentity, by settings: ProviderSettings, known: User?, named: User?,
        new: (id: String, createdAt: Timestamp)
    ) {
        let grant = settings.grant(toMembersOf: identity.groups)
        if let known {
            self = Self.again(known, grant, settings)
            return
        }
        let account = ProviderAccount(
            issuer: settings.issuer, subject: identity.subject, hasGroupRole: grant != nil)
        if let named {
            // Only a user who was added for this is taken over: a password's owner may be somebody else.
            guard named.isInvited else {
                self = grant != nil || settings.firstSignIn == .viewer ? .nameTaken : .refused
                return
            }
            guard grant != nil || settings.firstSignIn != .refuse else {
                self = .refused
                return
            }
            self = .user(former: named, now: named.linked(to: account, grant))
            return
        }
        guard let role = grant?.role ?? (settings.firstSignIn == .viewer ? .viewer : nil) else {
            self = .refused
            return
        }
        let user = User(
            id: new.id, name: Self.name(of: identity), passwordHash: "", role: role, createdAt: new.createdAt)
        self = .new(user.linked(to: account, grant))
    }

    /// Somebody who was here before. Who is in no group any more keeps no role that a group gave.
    private static func again(
        _ known: User, _ grant: (role: User.Role, tags: [String]?)?, _ settings: ProviderSettings
    ) -> ProviderAdmission {
        guard var account = known.identity else { return .refused }
        if grant != nil {
            account.hasGroupRole = true
            return .user(former: known, now: known.linked(to: account, grant))
        }
        guard account.hasGroupRole else { return .user(former: known, now: known) }
        guard settings.firstSignIn == .viewer else {
            var user = known
            (user.role, user.tags, user.devices) = (.viewer, [], [])
            return .expelled(former: known, now: user)
        }
        account.hasGroupRole = false
        return .user(former: known, now: known.linked(to: account, (.viewer, nil)))
    }

    /// The name by which somebody can be invited; `nil` where the provider states none that a user can have. Its own id of the
    /// person is not one: some providers let people choose it.
    static func invitedName(of identity: ProvidedIdentity) -> String? {
        identity.name.flatMap { UserDraft.isName($0) ? $0 : nil }
    }

    /// The name of a new user: what the provider says, its own id of the person, or a name that follows from that id.
    static func name(of identity: ProvidedIdentity) -> String {
        if let name = invitedName(of: identity) { return name }
        guard !UserDraft.isName(identity.subject) else { return identity.subject }
        var hash = Identity()
        hash.add(identity.subject)
        return hash.text(prefix: "user_")
    }
}

extension User {
    /// The user as an account of a provider, with what its groups may do.
    fileprivate func linked(
        to account: ProviderAccount, _ grant: (role: Role, tags: [String]?)?
    ) -> User {
        var user = self
        user.identity = account
        if let grant {
            (user.role, user.tags) = (grant.role, grant.tags)
            // What a group shows is all that it shows.
            user.devices = nil
        }
        return user
    }
}
