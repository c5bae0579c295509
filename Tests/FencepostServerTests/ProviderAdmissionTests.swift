import FencepostModel
import FencepostService
import Testing

@testable import FencepostServer

@Suite("Who signs in at a provider") struct ProviderAdmissionTests {
    private static let now = Timestamp(seconds: 1_772_355_600)
    private static let issuer = "https://auth.example.org"

    private static func settings(_ policy: ProviderSettings.FirstSignIn) -> ProviderSettings {
        var settings = ProviderSettings(issuer: issuer)
        settings.firstSignIn = policy
        settings.groups = [
            .init(group: "drivers", role: .viewer, tags: ["vans"]),
            .init(group: "cooks", role: .viewer, tags: ["food"]),
            .init(group: "staff", role: .editor), .init(group: "chiefs", role: .admin),
        ]
        return settings
    }

    private static func identity(_ groups: [String], name: String? = "jane") -> ProvidedIdentity {
        ProvidedIdentity(subject: "4711", name: name, groups: groups, sessionID: nil, token: "t")
    }

    private static func user(_ role: User.Role = .editor, hash: String = "", account: ProviderAccount? = nil) -> User {
        var user = User(id: "usr_1", name: "jane", passwordHash: hash, role: role, createdAt: now)
        (user.identity, user.devices) = (account, [GlobPattern("a")])
        return user
    }

    private static func admission(
        _ policy: ProviderSettings.FirstSignIn, _ groups: [String], known: User? = nil, named: User? = nil
    ) -> ProviderAdmission {
        ProviderAdmission(
            of: identity(groups), by: settings(policy), known: known, named: named, new: ("usr_2", now))
    }

    @Test(
        "has the highest role of the groups, and sees what they show together",
        arguments: [
            (["drivers"], .viewer, ["vans"]), (["cooks", "drivers", "x"], .viewer, ["food", "vans"]),
            (["staff", "drivers"], .editor, nil), (["chiefs", "drivers"], .admin, nil),
        ] as [([String], User.Role, [String]?)])
    func groups(groups: [String], role: User.Role, tags: [String]?) throws {
        for policy in ProviderSettings.FirstSignIn.allCases {
            guard case .new(let user) = Self.admission(policy, groups) else {
                Issue.record("\(groups) are let in")
                return
            }
            #expect(user.role == role && user.tags == tags && user.hasNoPassword && user.name == "jane")
            #expect(user.identity == ProviderAccount(issuer: Self.issuer, subject: "4711", hasGroupRole: true))
        }
        #expect(Self.settings(.refuse).grant(toMembersOf: ["Drivers"]) == nil, "names of groups are exact")
    }

    @Test("without a group is let in by the policy alone") func policies() throws {
        #expect(Self.admission(.refuse, []) == .refused && Self.admission(.invited, ["x"]) == .refused)
        guard case .new(let viewer) = Self.admission(.viewer, []) else {
            Issue.record("everybody is a viewer")
            return
        }
        #expect(viewer.role == .viewer && viewer.tags == nil && viewer.identity?.hasGroupRole == false)
    }

    @Test("takes over a user who was invited, and never one with a password or of somebody else") func names() throws {
        let invited = Self.user()
        #expect(Self.admission(.refuse, [], named: invited) == .refused)
        for policy in [ProviderSettings.FirstSignIn.invited, .viewer] {
            guard case .user(invited, let user) = Self.admission(policy, [], named: invited) else {
                Issue.record("\(policy): the invited user is the one")
                return
            }
            #expect(user.role == .editor && user.devices == [GlobPattern("a")] && user.identity?.subject == "4711")
        }
        let other = ProviderAccount(issuer: Self.issuer, subject: "1", hasGroupRole: false)
        for taken in [Self.user(hash: "argon"), Self.user(account: other), Self.user(.admin, hash: "argon")] {
            #expect(Self.admission(.invited, [], named: taken) == .refused)
            #expect(Self.admission(.viewer, [], named: taken) == .nameTaken)
            #expect(Self.admission(.refuse, ["chiefs"], named: taken) == .nameTaken)
        }
    }

    @Test("loses with the group what the group gave") func leaving() throws {
        let byGroup = ProviderAccount(issuer: Self.issuer, subject: "4711", hasGroupRole: true)
        let admin = Self.user(.admin, account: byGroup)
        var nobody = admin
        (nobody.role, nobody.tags, nobody.devices) = (.viewer, [], [])
        #expect(Self.admission(.refuse, [], known: admin) == .expelled(former: admin, now: nobody))
        #expect(Self.admission(.invited, [], known: admin) == .expelled(former: admin, now: nobody))
        guard case .user(admin, let viewer) = Self.admission(.viewer, [], known: admin) else {
            Issue.record("everybody is a viewer")
            return
        }
        #expect(viewer.role == .viewer && viewer.identity?.hasGroupRole == false)
        guard case .user(_, let driver) = Self.admission(.refuse, ["drivers"], known: admin) else {
            Issue.record("a driver is let in")
            return
        }
        #expect(driver.role == .viewer && driver.tags == ["vans"] && driver.devices == nil)
        // What an administrator has given stays.
        let own = ProviderAccount(issuer: Self.issuer, subject: "4711", hasGroupRole: false)
        let editor = Self.user(.editor, account: own)
        #expect(Self.admission(.refuse, [], known: editor) == .user(former: editor, now: editor))
    }

    @Test("is called by the provider's id where the name can be none", arguments: ["", " jane", "a\nb", nil])
    func unusableNames(name: String?) {
        #expect(ProviderAdmission.name(of: Self.identity([], name: name)) == "4711")
        #expect(ProviderAdmission.invitedName(of: Self.identity([], name: name)) == nil, "nobody is invited by it")
        for subject in ["", " ", "a\n", String(repeating: "é", count: 65)] {
            let identity = ProvidedIdentity(subject: subject, name: name, groups: [], sessionID: nil, token: "t")
            #expect(UserDraft.isName(ProviderAdmission.name(of: identity)), "\(subject)")
        }
    }
}
