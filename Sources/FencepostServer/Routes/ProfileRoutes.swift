import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of the names, the colours and the pictures of devices (rule A27).
extension API {
    private static let tag = "Devices"

    var profileRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/profiles", name: "listProfiles",
                summary: "Lists the names and colours of devices, by id", tag: Self.tag, access: .scope(.read),
                successes: [.json(Schema.list(of: Schema.named("Profile")), "The profiles.")],
                partition: .list(.id("id")),
                handle: { call in
                    let visible = try await store.profiles().filter { call.caller.maySee($0.deviceID) }
                    return call.page(visible, next: nil) { $0.value($1) }
                }),
            Route(
                method: .put, path: "/v1/devices/{id}/profile", name: "putProfile",
                summary: "Gives a device a name and a colour; without both it has none", tag: Self.tag,
                access: .scope(.write), parameters: [.id("device")],
                body: Route.Body(
                    types: ["application/json"], schema: Schema.named("NewProfile"),
                    example: ##"{"name":"Jane","color":"#b5179e"}"##),
                successes: [.json(Schema.named("Profile"), "The profile.")],
                partition: .device,
                handle: { call in
                    var profile = try profile(of: try call.pathDevice(), try call.json().root)
                    try await store.save(profile)
                    profile.hasFace = try await store.face(of: profile.deviceID) != nil
                    // Messages to people have the names of devices.
                    try await endpoints.endpointsDidChange()
                    return RouteResponse { $0.value(profile) }
                }),
            Route(
                method: .get, path: "/v1/devices/{id}/face", name: "getFace", summary: "The picture of a device",
                tag: Self.tag, access: .scope(.read), parameters: [.id("device")],
                successes: Face.Format.allCases.map {
                    Route.Success(status: .ok, type: $0.rawValue, schema: Schema.string, text: "The picture.")
                },
                failures: [.notFound],
                partition: .device,
                handle: { call in
                    guard let face = try await store.face(of: try call.pathDevice()) else {
                        throw Problem.notFound("face")
                    }
                    return RouteResponse(type: face.format.rawValue, bytes: face.bytes).tagged()
                }),
            Route(
                method: .put, path: "/v1/devices/{id}/face", name: "putFace", summary: "Gives a device a picture",
                tag: Self.tag, access: .scope(.write), parameters: [.id("device")],
                body: Route.Body(types: Face.Format.allCases.map(\.rawValue), schema: Schema.string),
                successes: [.noContent("The picture is stored.")],
                partition: .device,
                handle: { call in
                    let device = try call.pathDevice()
                    guard let face = Face(call.body) else {
                        throw Problem.invalid(
                            "invalid_face", "The picture has to be a PNG or JPEG file of at most \(Face.largest) bytes."
                        )
                    }
                    try await store.save(face, of: device)
                    return .noContent
                }),
            Route(
                method: .delete, path: "/v1/devices/{id}/face", name: "deleteFace",
                summary: "Removes the picture of a device", tag: Self.tag, access: .scope(.write),
                parameters: [.id("device")], successes: [.noContent("The device has no picture.")],
                partition: .device,
                handle: { call in
                    try await store.save(nil, of: try call.pathDevice())
                    return .noContent
                }),
        ]
    }

    private func profile(of device: DeviceID, _ root: JSONElement) throws -> DeviceProfile {
        try root.checkMembers(["name", "color"])
        func fault(_ member: String, _ detail: String) -> Problem {
            .invalid(
                "invalid_profile", detail,
                [Problem.Fault(pointer: "/\(member)", code: "invalid_profile", detail: detail)])
        }
        func text(_ member: String) throws -> String? {
            guard let element = root[member], !element.isNull else { return nil }
            guard let text = element.string else { throw fault(member, "This has to be a text.") }
            return text.isEmpty ? nil : text
        }
        let name = try text("name")
        guard name.map({ TextLimit(0...DeviceProfile.largestName).admits($0) }) != false,
            name?.contains(where: \.isNewline) != true,
            name?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true
        else { throw fault("name", "This may have at most \(DeviceProfile.largestName) characters, in one line.") }
        let color = try text("color")?.lowercased()
        guard color?.wholeMatch(of: /#[0-9a-f]{6}/) != nil || color == nil else {
            throw fault("color", "This has to be # and six hexadecimal digits, such as #b5179e.")
        }
        return DeviceProfile(deviceID: device, name: name, color: color)
    }
}

extension JSONWriter {
    /// The name and the colour of a device, and whether it has a picture.
    mutating func value(_ profile: DeviceProfile) {
        beginObject()
        member("id", profile.deviceID.rawValue)
        if let name = profile.name { member("name", name) }
        if let color = profile.color { member("color", color) }
        if profile.hasFace { member("hasFace", true) }
        endObject()
    }
}
