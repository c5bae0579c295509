import FencepostService

/// JSON Schemas of users, sessions, groups and share links.
enum AccessSchemas {
    private static let role = Schema.words(User.Role.allCases.map(\.rawValue))
    private static let patterns =
        #"{"type":"array","maxItems":500,"items":{"type":"string","minLength":1,"maxLength":128}}"#
    private static let tags = #"{"type":"array","maxItems":500,"items":{"type":"string","minLength":1,"maxLength":64}}"#
    private static let password = #"{"type":"string","minLength":8,"maxLength":256}"#
    private static let ids = #"{"type":"array","minItems":1,"maxItems":50,"items":\#(Schema.deviceID)}"#

    private static func object(_ required: [String], _ members: [(String, String)], isClosed: Bool = false) -> String {
        Schema.object(required: required, members.map { (name: $0.0, schema: $0.1) }, isClosed: isClosed)
    }

    private static let userMembers = [
        ("name", #"{"type":"string","minLength":1,"maxLength":64}"#), ("password", password), ("role", role),
        ("devices", Schema.optional(patterns)), ("tags", Schema.optional(tags)), ("timeZone", zone),
    ]
    /// The name of a time zone, or null for that of the service.
    private static let zone = #"{"type":["string","null"],"minLength":1,"maxLength":64}"#

    private static let shareMembers = [
        ("id", Schema.string), ("name", Schema.string), ("devices", ids), ("expires", Schema.time),
        ("createdAt", Schema.time),
    ]

    private static let networkMembers = [
        ("id", Schema.string), ("network", Schema.string), ("createdAt", Schema.time),
    ]

    static let all: [(name: String, schema: String)] = [
        (
            "User",
            object(
                ["id", "name", "role", "createdAt"],
                [
                    ("id", Schema.string), ("name", Schema.string), ("role", role), ("devices", patterns),
                    ("tags", tags), ("timeZone", Schema.string), ("signIn", Schema.words(["provider"])),
                    (
                        "provider",
                        object(
                            ["issuer", "subject"], [("issuer", Schema.string), ("subject", Schema.string)])
                    ), ("createdAt", Schema.time),
                ])
        ),
        ("OwnUserChange", object(["timeZone"], [("timeZone", zone)], isClosed: true)),
        (
            "NewUser",
            object(
                ["name", "password", "role"],
                userMembers.map { $0.0 == "password" ? ("password", Schema.optional(password)) : $0 }, isClosed: true)
        ),
        ("UserChange", object([], userMembers, isClosed: true)),
        (
            "ModelContextMessage",
            #"{"type":"object","required":["jsonrpc"],"properties":{"jsonrpc":{"const":"2.0","type":"string"}}}"#
        ),
        ("LogoutNotice", object(["logout_token"], [("logout_token", Schema.string)])),
        ("Group", object(["tag", "devices"], [("tag", Schema.string), ("devices", patterns)])),
        ("NewGroup", object(["devices"], [("devices", patterns)], isClosed: true)),
        (
            "NewSession",
            object(["user", "password"], [("user", Schema.string), ("password", Schema.string)], isClosed: true)
        ),
        (
            "NewPassword",
            object(
                ["password", "newPassword"], [("password", Schema.string), ("newPassword", password)], isClosed: true)
        ),
        (
            "Session",
            object(
                ["id", "user", "createdAt", "lastUsed", "expires", "isCurrent"],
                [
                    ("id", Schema.string), ("user", Schema.named("User")), ("createdAt", Schema.time),
                    ("lastUsed", Schema.time), ("expires", Schema.time), ("client", Schema.string),
                    ("address", Schema.string), ("provider", #"{"type":"boolean"}"#),
                    ("isCurrent", #"{"type":"boolean"}"#),
                ])
        ),
        (
            "Access",
            object(
                ["scopes", "isLimited", "needsFirstUser"],
                [
                    (
                        "scopes",
                        #"{"type":"array","items":\#(Schema.words(AccessToken.Scope.allCases.map(\.rawValue)))}"#
                    ), ("isLimited", #"{"type":"boolean"}"#), ("user", Schema.named("User")),
                    ("needsFirstUser", #"{"type":"boolean"}"#), ("timeZone", Schema.string),
                    (
                        "signIn",
                        object(
                            ["provider", "passwords"],
                            [
                                ("provider", Schema.string),
                                (
                                    "passwords",
                                    Schema.words(ProviderSettings.Passwords.allCases.map(\.rawValue))
                                ),
                            ])
                    ), ("signOut", Schema.string),
                ])
        ),
        (
            "Map",
            object(
                ["tiles", "attribution", "isChosen", "isConfigured", "takesFile"],
                [
                    ("tiles", Schema.string), ("attribution", Schema.string), ("isChosen", #"{"type":"boolean"}"#),
                    ("isConfigured", #"{"type":"boolean"}"#), ("takesFile", #"{"type":"boolean"}"#),
                    (
                        "file",
                        object(["name", "bytes"], [("name", Schema.string), ("bytes", #"{"type":"integer"}"#)])
                    ),
                ])
        ),
        (
            "NewMap",
            object(
                ["tiles"],
                [("tiles", Schema.text), ("attribution", #"{"type":"string","maxLength":512}"#)], isClosed: true)
        ),
        (
            "Profile",
            object(
                ["id"],
                [
                    ("id", Schema.deviceID), ("name", Schema.string),
                    ("color", ##"{"type":"string","pattern":"^#[0-9a-f]{6}$"}"##),
                    ("hasFace", #"{"type":"boolean"}"#),
                ])
        ),
        (
            "NewProfile",
            object(
                [],
                [
                    ("name", #"{"type":["string","null"],"maxLength":64}"#),
                    ("color", ##"{"type":["string","null"],"pattern":"^(#[0-9A-Fa-f]{6})?$"}"##),
                ], isClosed: true)
        ),
        ("MapUpload", object(["received"], [("received", #"{"type":"integer"}"#)])),
        (
            "SetAside",
            object(
                ["kind", "id", "work", "ends", "since", "released"],
                [
                    ("kind", Schema.words(SetAside.Kind.allCases.map(\.rawValue))), ("id", Schema.string),
                    ("work", Schema.words(WorkJournal.Work.allCases.filter { $0.kind != nil }.map { "\($0)" })),
                    ("ends", #"{"type":"integer"}"#), ("since", Schema.time), ("released", #"{"type":"boolean"}"#),
                ])
        ),
        ("AllowedNetwork", object(["id", "network", "createdAt"], networkMembers)),
        ("NewNetwork", object(["network"], [("network", Schema.text)], isClosed: true)),
        ("Share", object(["id", "name", "devices", "expires", "createdAt"], shareMembers)),
        (
            "ShareWithSecret",
            object(
                ["id", "name", "devices", "expires", "createdAt", "secret", "path"],
                shareMembers + [("secret", Schema.string), ("path", Schema.string)])
        ),
        (
            "NewShare",
            object(
                ["devices", "expires"],
                [
                    ("name", #"{"type":["string","null"],"maxLength":128}"#), ("devices", ids),
                    ("expires", Schema.time),
                ],
                isClosed: true)
        ),
        (
            "Shared",
            object(
                ["name", "expires", "devices"],
                [
                    ("name", Schema.string), ("expires", Schema.time),
                    (
                        "devices",
                        #"{"type":"array","items":\#(object(["id"], [("id", Schema.deviceID), ("name", Schema.string), ("color", Schema.string), ("timestamp", Schema.time), ("latitude", #"{"type":"number"}"#), ("longitude", #"{"type":"number"}"#), ("horizontalAccuracy", #"{"type":"number"}"#)]))}"#
                    ),
                ])
        ),
    ]
}
