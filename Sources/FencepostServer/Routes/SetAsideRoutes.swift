import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import Logging

/// Routes of devices and imports whose work has ended the process (rule D10).
extension API {
    var setAsideRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/set-aside", name: "listSetAside",
                summary: "Lists devices and imports that are not worked on, since their work ended the process",
                tag: "System", access: .unbound(.admin), parameters: Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("SetAside")), "They, by kind and id.")],
                partition: .list(.id("id")),
                handle: { call in
                    let items = try await histories().setAside()
                    return call.page(Array(items.prefix(try call.limit())), next: nil) { $0.value($1) }
                }),
            Route(
                method: .post, path: "/v1/devices/{id}/release", name: "postDeviceRelease",
                summary: "Evaluates a device again that was set aside, with what has come meanwhile", tag: "Devices",
                access: .unbound(.admin), parameters: [.id("device")],
                successes: [.noContent("It is evaluated in the background.")], failures: [.notFound],
                partition: .device,
                handle: { call in
                    let device = try call.pathDevice()
                    guard try await histories().release(device) else { throw Problem.notFound("device") }
                    logger.notice("a device that was set aside is released", metadata: ["device": "\(device)"])
                    return .noContent
                }),
            Route(
                method: .post, path: "/v1/imports/{id}/release", name: "postImportRelease",
                summary: "Lets an import go on that was set aside", tag: "Locations", access: .unbound(.admin),
                parameters: [.id("import")], successes: [.noContent("It goes on in the background.")],
                failures: [.notFound],
                partition: .import,
                handle: { call in
                    let id = call.parameter("id")
                    guard try await histories().releaseImport(id) else { throw Problem.notFound("import") }
                    logger.notice("an import that was set aside is released", metadata: ["import": "\(id)"])
                    return .noContent
                }),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ item: SetAside) {
        beginObject()
        member("kind", item.kind.rawValue)
        member("id", item.id)
        member("work", "\(item.work)")
        member("ends", item.ends)
        member("since", item.since)
        member("released", item.isReleased)
        endObject()
    }
}
