import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService

/// The user of a session as the leader of the configuration describes it to other nodes.
struct SessionReply: Sendable {
    private struct Malformed: Error {}

    let caller: Caller

    init(_ caller: Caller) {
        self.caller = caller
    }

    /// The reply as a response.
    var response: RouteResponse {
        RouteResponse { writer in
            writer.beginObject()
            writer.member("id", caller.token?.id)
            writer.member("name", caller.token?.name)
            writer.member("role", caller.signedIn?.user.role.rawValue)
            if let devices = caller.visibility.devices { writer.list("devices", devices.map(\.rawValue)) }
            if let tags = caller.visibility.tags { writer.list("tags", tags) }
            writer.endObject()
        }
    }

    /// Reads a reply.
    ///
    /// - Throws: for bytes that are no reply.
    init(decoding bytes: [UInt8]) throws {
        let root = try JSONDocument(parsing: bytes).root
        guard let id = root["id"]?.string, let name = root["name"]?.string,
            let role = root["role"]?.string.flatMap(User.Role.init(rawValue:))
        else { throw Malformed() }
        let start = Timestamp(milliseconds: 0)
        let session = UserSession(id: id, hash: [], userID: "", createdAt: start)
        let user = User(id: "", name: name, passwordHash: "", role: role, createdAt: start)
        let visibility = Visibility(
            devices: root["devices"]?.array?.compactMap { $0.string.map { GlobPattern($0) } },
            tags: root["tags"]?.array?.compactMap(\.string))
        caller = Caller(SignedIn(session: session, user: user), visibility, secret: "")
    }
}
