import FencepostGeometry
import FencepostJSON
import FencepostModel

/// The OpenID Connect provider at which users sign in, and what its users may do.
public struct ProviderSettings: Hashable, Sendable {
    /// What happens when somebody signs in for the first time who is in none of `groups`.
    public enum FirstSignIn: String, Hashable, Sendable, CaseIterable {
        /// The sign-in is refused.
        case refuse
        /// Users that an administrator added without a password sign in, by their names.
        case invited
        /// Everybody whom the provider knows becomes a viewer.
        case viewer
    }

    /// Who may sign in with a password of Fencepost.
    public enum Passwords: String, Hashable, Sendable, CaseIterable {
        case all, administrators, none

        /// Whether users of a role may.
        public func admit(_ role: User.Role) -> Bool { self == .all || self == .administrators && role == .admin }
    }

    /// What the members of a group of the provider may do.
    public struct GroupRule: Hashable, Sendable {
        /// The name of the group, as the provider states it.
        public var group: String
        /// The role of its members.
        public var role: User.Role
        /// Groups of Fencepost whose devices and regions they see; `nil` for everything.
        public var tags: [String]?

        /// A rule.
        public init(group: String, role: User.Role, tags: [String]? = nil) {
            (self.group, self.role, self.tags) = (group, role, tags)
        }
    }

    /// The address of the provider, exactly as it names itself.
    public var issuer: String
    /// The name by which the provider knows this service.
    public var clientID = ""
    /// The secret of this service; `nil` for a public client.
    public var clientSecret: String?
    /// The name of the provider for people; `nil` for its host.
    public var name: String?
    /// What is asked for, of which `openid` is always a part.
    public var scopes = ["openid", "profile", "email"]
    /// The claim with the name of the user.
    public var nameClaim = "preferred_username"
    /// The claim with the groups of the user.
    public var groupsClaim = "groups"
    /// What members of groups may do; none leaves roles to administrators.
    public var groups: [GroupRule] = []
    /// What happens at the first sign-in of somebody else.
    public var firstSignIn = FirstSignIn.refuse
    /// Who may sign in with a password.
    public var passwords = Passwords.all
    /// The address of this service for browsers, without a slash at its end; `nil` for that of the request.
    public var publicURL: String?
    /// A PEM file of certificate authorities to trust in addition to the system's.
    public var caFile: String?
    /// Whether the provider's addresses may be `http:`.
    public var allowHTTP = false

    /// A provider at an address.
    public init(issuer: String) {
        self.issuer = issuer
    }

    /// The name of the provider for people.
    public var title: String {
        if let name { return name }
        let host = issuer.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }
        return host.isEmpty ? issuer : String(host)
    }

    /// What a member of groups may do: the highest role of the rules that fit, and what all of them show together.
    ///
    /// - Returns: `nil` when no rule fits.
    public func grant(toMembersOf groups: [String]) -> (role: User.Role, tags: [String]?)? {
        let fitting = self.groups.filter { groups.contains($0.group) }
        guard let role = User.Role.allCases.first(where: { role in fitting.contains { $0.role == role } }) else {
            return nil
        }
        // An administrator sees everything.
        guard role != .admin, fitting.allSatisfy({ $0.tags != nil }) else { return (role, nil) }
        return (role, Set(fitting.flatMap { $0.tags ?? [] }).sorted())
    }
}

extension ConfigurationKey {
    /// The keys of the provider. The first makes the others count.
    static let provider: [ConfigurationKey] = [
        key(
            "/oidc/issuer", restart: true,
            { value, configuration in
                let wanted = "the address of the provider, such as https://auth.example.org"
                let issuer = try value.address(wanted)
                if configuration.provider == nil { configuration.provider = ProviderSettings(issuer: issuer) }
                configuration.provider?.issuer = issuer
            }, { $1.optional($0.provider?.issuer) }),
        part(
            "clientId", { $1.clientID = try $0.printable("the id of this service at the provider") },
            { $1.optional($0?.clientID) }),
        part(
            "clientSecret", secret: true, { $1.clientSecret = try $0.text("a secret") },
            { $1.optional($0?.clientSecret) }),
        part("name", { $1.name = try $0.text("a name") }, { $1.optional($0?.name) }),
        part(
            "scopes", { $1.scopes = try $0.scopes() }, { $1.value($0?.scopes ?? []) }),
        part("nameClaim", { $1.nameClaim = try $0.text("the name of a claim") }, { $1.optional($0?.nameClaim) }),
        part("groupsClaim", { $1.groupsClaim = try $0.text("the name of a claim") }, { $1.optional($0?.groupsClaim) }),
        part("groups", { $1.groups = try $0.groupRules() }, { $1.groupRules($0?.groups ?? []) }),
        part("firstSignIn", { $1.firstSignIn = try $0.choice() }, { $1.optional($0?.firstSignIn.rawValue) }),
        part("passwords", { $1.passwords = try $0.choice() }, { $1.optional($0?.passwords.rawValue) }),
        part(
            "publicURL",
            { value, settings in
                let wanted = "the address of this service, such as https://fencepost.example.org"
                let text = try value.address(wanted)
                settings.publicURL = String(text.reversed().drop { $0 == "/" }.reversed())
            }, { $1.optional($0?.publicURL) }),
        part("caFile", { $1.caFile = try $0.path() }, { $1.optional($0?.caFile) }),
        part("allowHTTP", { $1.allowHTTP = try $0.bool() }, { $1.value($0?.allowHTTP ?? false) }),
    ]

    /// A key of a provider that has an address. Without one its value is read too, so that a mistake is reported.
    private static func part(
        _ name: String, secret: Bool = false,
        _ read: @escaping @Sendable (Value, inout ProviderSettings) throws -> Void,
        _ write: @escaping @Sendable (ProviderSettings?, inout JSONWriter) -> Void
    ) -> ConfigurationKey {
        key(
            "/oidc/" + name, restart: true, secret: secret,
            { value, configuration in
                var settings = configuration.provider ?? ProviderSettings(issuer: "")
                try read(value, &settings)
                if configuration.provider != nil { configuration.provider = settings }
            }, { write($0.provider, &$1) })
    }
}

extension ConfigurationKey.Value {
    /// An `http:` or `https:` address without a query.
    fileprivate func address(_ wanted: String) throws -> String {
        let text = try printable(wanted)
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://"), !text.contains("?"), !text.contains("#") else {
            throw ConfigurationKey.Mismatch(wanted: wanted)
        }
        return text
    }

    /// Words of visible characters, with `openid` first.
    fileprivate func scopes() throws -> [String] {
        let wanted = "a scope such as groups"
        let texts = try texts(wanted)
        for (index, text) in texts.enumerated() {
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else {
                throw ConfigurationKey.Mismatch(wanted: wanted, index: index)
            }
        }
        return ["openid"] + texts.filter { $0 != "openid" }
    }

    fileprivate func groupRules() throws -> [ProviderSettings.GroupRule] {
        let form = "such as {\"group\":\"drivers\",\"role\":\"viewer\",\"tags\":[\"vans\"]}"
        guard let array = element.array, array.count <= 500 else {
            throw ConfigurationKey.Mismatch(wanted: "an array of at most 500 rules \(form)")
        }
        return try array.enumerated().map { index, item in
            let roles = User.Role.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            guard let object = item.object, let group = item["group"]?.string, !group.isEmpty,
                object.allSatisfy({ ["group", "role", "tags"].contains($0.name) })
            else { throw ConfigurationKey.Mismatch(wanted: "a rule \(form)", index: index) }
            guard let role = item["role"]?.string.flatMap(User.Role.init(rawValue:)) else {
                throw ConfigurationKey.Mismatch(wanted: "a rule whose \"role\" is one of \(roles)", index: index)
            }
            var rule = ProviderSettings.GroupRule(group: group, role: role)
            if let element = item["tags"], !element.isNull {
                let tags = element.array?.compactMap(\.string).filter { TextLimit.tag.admits($0) }
                guard let tags, tags.count == element.array?.count, role != .admin else {
                    throw ConfigurationKey.Mismatch(
                        wanted: "a rule whose \"tags\" are an array of tags, and none for an administrator",
                        index: index)
                }
                rule.tags = tags
            }
            return rule
        }
    }
}

extension JSONWriter {
    fileprivate mutating func groupRules(_ rules: [ProviderSettings.GroupRule]) {
        beginArray()
        for rule in rules {
            beginObject()
            name("group")
            value(rule.group)
            name("role")
            value(rule.role.rawValue)
            if let tags = rule.tags {
                name("tags")
                value(tags)
            }
            endObject()
        }
        endArray()
    }
}
