import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of share links, which show the positions of some devices to anybody who has the link.
extension API {
    var shareRoutes: [Route] { [listShares, postShare, deleteShare, getShared, getSharePage] }

    private static let tag = "Shares"
    private static let longest = Duration.seconds(366 * 86_400)

    private func visibleShares(_ call: Call) async throws -> [Share] {
        var visible: [Share] = []
        for share in try await store.shares() {
            if try await isVisible(share, call) { visible.append(share) }
        }
        return visible
    }

    private func isVisible(_ share: Share, _ call: Call) async throws -> Bool {
        guard share.expires > clock.now(), share.devices.allSatisfy(call.caller.maySee) else { return false }
        return try await sessions.isAllowed(share)
    }

    private var listShares: Route {
        Route(
            method: .get, path: "/v1/shares", name: "listShares",
            summary: "Lists the share links that have not ended", tag: Self.tag, access: .scope(.write),
            successes: [
                .json(
                    Schema.list(of: Schema.named("Share")),
                    "The links of devices that the caller sees, without secrets.")
            ],
            partition: .configuration,
            handle: { call in call.page(try await visibleShares(call), next: nil) { $0.value($1) } })
    }

    private var postShare: Route {
        Route(
            method: .post, path: "/v1/shares", name: "postShare",
            summary:
                "Makes a link that shows devices until a time, and while its maker may show them. It is not shown again",
            tag: Self.tag,
            access: .scope(.write),
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewShare"),
                example: #"{"name":"Jane is on her way","devices":["jane/phone"],"expires":"2026-03-01T20:00:00Z"}"#),
            successes: [.created(Schema.named("ShareWithSecret"), "The link.")], failures: [.notFound],
            partition: .configuration,
            handle: { call in
                let root = try call.json().root
                try root.checkMembers(["name", "devices", "expires"])
                guard let texts = UserDraft.texts(root["devices"], .deviceID), (1...50).contains(texts.count),
                    case let devices = texts.compactMap({ try? DeviceID(validating: $0) }), devices.count == texts.count
                else { throw UserDraft.problem("/devices", "The value has to be an array of 1 to 50 device ids.") }
                guard devices.allSatisfy(call.caller.maySee) else { throw Problem.notFound("device") }
                let now = clock.now()
                guard let end = root["expires"]?.string.flatMap({ Timestamp(rfc3339: $0) }), end > now,
                    end - now <= Self.longest
                else {
                    throw UserDraft.problem(
                        "/expires", "The value has to be an RFC 3339 time in the future, at most a year from now.")
                }
                let name = root["name"].flatMap { $0.isNull ? nil : $0.string } ?? ""
                guard TextLimit(0...128).admits(name) else {
                    throw UserDraft.problem("/name", "The value has to be a text of at most 128 characters.")
                }
                var generator = makeGenerator()
                let secret = TokenText.make(SessionAuthenticator.sharePrefix, using: &generator)
                let share = Share(
                    id: newID("shr_"), name: name, hash: TokenText.hash(secret), devices: devices, expires: end,
                    createdAt: now, ownerID: call.caller.ownerID)
                guard try await store.add(share) else {
                    throw Problem.unauthorized("The token or the user was removed.", mayUseBasic: false)
                }
                return RouteResponse(.created) { $0.value(share, secret: secret) }.located(at: "/v1/shares/\(share.id)")
            })
    }

    private var deleteShare: Route {
        Route(
            method: .delete, path: "/v1/shares/{id}", name: "deleteShare", summary: "Revokes a share link at once",
            tag: Self.tag, access: .scope(.write), parameters: [.id("share link")],
            successes: [.noContent("The link was revoked.")],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                guard let share = try await store.shares().first(where: { $0.id == id }),
                    try await isVisible(share, call), try await store.removeShare(id: id)
                else { throw Problem.notFound("share link") }
                return .noContent
            })
    }

    private var getShared: Route {
        Route(
            method: .get, path: "/v1/shared", name: "getShared",
            summary: "What a share link shows: the last positions of its devices, and nothing else", tag: Self.tag,
            access: .share, successes: [.json(Schema.named("Shared"), "The positions.")],
            partition: .shared,
            handle: { call in
                let share = try await sessions.share(call.headers)
                let profiles = Dictionary(
                    try await store.profiles().map { ($0.deviceID, $0) }, uniquingKeysWith: { first, _ in first })
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.member("name", share.name)
                    writer.member("expires", share.expires)
                    writer.array("devices", share.devices.sorted { $0.rawValue < $1.rawValue }) { writer, device in
                        writer.beginObject()
                        writer.member("id", device.rawValue)
                        writer.member("name", profiles[device]?.name)
                        writer.member("color", profiles[device]?.color)
                        if let location = monitoring.device(device)?.lastLocation {
                            writer.member("timestamp", location.timestamp)
                            writer.member("latitude", location.coordinate.latitude)
                            writer.member("longitude", location.coordinate.longitude)
                            writer.member("horizontalAccuracy", location.horizontalAccuracy)
                        }
                        writer.endObject()
                    }
                    writer.endObject()
                }
            })
    }

    private var getSharePage: Route {
        Route(
            method: .get, path: "/share", name: "getSharePage",
            summary: "The page of a share link, whose secret is in the fragment of its address", tag: "System",
            access: .open, traffic: .exempt, rejectsOtherParameters: false,
            successes: [Route.Success(status: .ok, type: "text/html", schema: Schema.string, text: "A page.")],
            partition: .configuration,
            handle: { call in map.page.shareResponse(to: call) ?? RouteResponse(.notFound) })
    }
}

extension JSONWriter {
    /// A share link, with its address when the secret is given.
    mutating func value(_ share: Share, secret: String? = nil) {
        beginObject()
        member("id", share.id)
        member("name", share.name)
        list("devices", share.devices.map(\.rawValue))
        member("expires", share.expires)
        member("createdAt", share.createdAt)
        if let secret {
            member("secret", secret)
            // Browsers send no fragments: the secret is in no log of a server.
            member("path", "/share#\(secret)")
        }
        endObject()
    }
}
