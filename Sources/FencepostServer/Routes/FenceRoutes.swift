import FencepostEngine
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import Foundation
import HTTPTypes

/// Routes of the fences about where devices stand (rule A39).
extension API {
    var fenceRoutes: [Route] { [getFence, putFence, deleteFence] }

    private static let fenceTag = "Devices"
    private static let fencePath = "/v1/devices/{id}/fence"

    private var getFence: Route {
        Route(
            method: .get, path: Self.fencePath, name: "getFence",
            summary: "Shows the fence of a device: whether it is armed, and where",
            tag: Self.fenceTag, access: .scope(.read), parameters: [.id("device")],
            successes: [.json(Schema.named("FenceState"), "The fence, with an ETag.")],
            partition: .device,
            handle: { call in
                guard let fence = monitoring.device(try call.pathDevice())?.fence else {
                    throw Problem.notFound("fence")
                }
                return RouteResponse { $0.value(fence) }.tagged()
            })
    }

    private var putFence: Route {
        Route(
            method: .put, path: Self.fencePath, name: "putFence",
            summary: "Arms a fence about where a device stands now, or by a schedule, in place of any other",
            tag: Self.fenceTag, access: .scope(.write), parameters: [.id("device")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewFence"),
                example: #"{"radius":50,"schedule":{"timeZone":"Europe/Lisbon","weekly":["22:00-06:00"]}}"#),
            successes: [.json(Schema.named("FenceState"), "The fence.")], failures: [.notFound, .conflict],
            partition: .device,
            handle: { call in
                let device = try call.pathDevice()
                var reader = try FenceReader(try call.json().root, zone: defaultZone.identifier)
                let command = try reader.command(at: clock.now())
                if let owner = reader.owner { try check(owner, of: device, call) }
                return try response(to: try await monitoring.changeFence(of: device, command))
            })
    }

    private var deleteFence: Route {
        Route(
            method: .delete, path: Self.fencePath, name: "deleteFence",
            summary: "Disarms the fence of a device, and removes its schedule unless that is kept",
            tag: Self.fenceTag, access: .scope(.write),
            parameters: [
                .id("device"),
                .flag("keepSchedule", "The schedule stays, and arms the next fence when it opens again."),
            ],
            successes: [.noContent("The fence is disarmed.")], failures: [.notFound, .conflict],
            partition: .device,
            handle: { call in
                let device = try call.pathDevice()
                let keeps = try call.flag("keepSchedule")
                _ = try response(to: try await monitoring.changeFence(of: device, .disarm(keepsSchedule: keeps)))
                return .noContent
            })
    }

    private func response(to answer: FenceAnswer) throws(Problem) -> RouteResponse {
        switch answer {
        case .changed(let fence):
            return RouteResponse { writer in
                if let fence { writer.value(fence) } else { writer.null() }
            }
        case .refused(let obstacle, let since):
            throw .conflict("fence_\(obstacle.rawValue)", obstacle.sentence(since: since))
        case .absent: throw .notFound("fence")
        case .unknownDevice: throw .notFound("device")
        case .setAside:
            throw .conflict(
                "device_set_aside",
                "The device is set aside, so that nothing of it is evaluated: release it first.")
        }
    }

    /// Checks that the device of the owner can disarm a fence of a device.
    private func check(_ owner: DeviceID, of device: DeviceID, _ call: Call) throws(Problem) {
        func refuse(_ code: String, _ detail: String) -> Problem {
            .invalid(code, detail, [Problem.Fault(pointer: "/owner", code: code, detail: detail)])
        }
        guard owner != device else {
            throw refuse("invalid_value", "The device of the owner has to be another one than the device itself.")
        }
        if let partition, partition.partitioning.part(of: owner) != partition.part {
            throw refuse(
                "owner_in_other_partition",
                "The cluster keeps the owner's device \"\(owner.rawValue)\" in another partition, which does not know "
                    + "this fence: leave \"owner\" out, or choose a device of the same partition.")
        }
        guard call.caller.maySee(owner), monitoring.device(owner) != nil else {
            throw refuse("unknown_device", "There is no device \"\(owner.rawValue)\": it has to send a location first.")
        }
    }
}

extension FenceObstacle {
    /// Why no fence can be armed, and what to do.
    fileprivate func sentence(since last: Timestamp?) -> String {
        switch self {
        case .noPosition: return "No location of the device is known: arm the fence after its first one."
        case .stale:
            let time = last.map { ", \($0.rfc3339)," } ?? ""
            return
                "The last location of the device\(time) is older than a day, so it is not known where it stands: let it "
                + "send a location first."
        case .moving: return "The device is on its way: arm the fence when it stands, or by a schedule."
        case .inaccurate:
            return "The position of the device is more than 150 m uncertain: arm the fence after a better location."
        }
    }
}

/// Reads the body of a request for a fence.
private struct FenceReader {
    private static let keys = ["radius", "owner", "until", "schedule", "now"]

    private let root: JSONElement
    private let zone: String
    private var faults: [Problem.Fault] = []
    /// The device of the owner; `nil` without one, or before `command(at:)`.
    private(set) var owner: DeviceID?

    /// `zone`: that of a schedule which names none.
    init(_ root: JSONElement, zone: String) throws(Problem) {
        try root.checkMembers(Self.keys)
        (self.root, self.zone) = (root, zone)
    }

    mutating func command(at now: Timestamp) throws(Problem) -> FenceCommand {
        let radius = radius() ?? FenceSettings.defaultRadius
        owner = text("owner").flatMap { text in
            let id = try? DeviceID(validating: text)
            if id == nil { fault("owner", "This has to be the id of a device.") }
            return id
        }
        let until = until(now)
        let schedule = schedule()
        let arms = flag("now") ?? (schedule == nil)
        if !arms, schedule == nil { fault("now", "Without a schedule a fence is armed now: leave \"now\" out.") }
        if !arms, until != nil { fault("until", "A schedule disarms its fences itself: leave \"until\" out.") }
        guard faults.isEmpty else {
            throw .invalid("invalid_value", faults.count == 1 ? faults[0].detail : "The fence is invalid.", faults)
        }
        let settings = FenceSettings(radius: radius, owner: owner, schedule: schedule)
        return arms ? .arm(settings, until: until) : .schedule(settings)
    }

    private func member(_ name: String) -> JSONElement? { root[name].flatMap { $0.isNull ? nil : $0 } }

    private mutating func fault(_ name: String, _ detail: String) {
        faults.append(Problem.Fault(pointer: "/\(name)", code: "invalid_value", detail: detail))
    }

    private mutating func text(_ name: String) -> String? {
        guard let element = member(name) else { return nil }
        if element.string == nil { fault(name, "This has to be a text.") }
        return element.string
    }

    private mutating func flag(_ name: String) -> Bool? {
        guard let element = member(name) else { return nil }
        if element.bool == nil { fault(name, "This has to be true or false.") }
        return element.bool
    }

    private mutating func radius() -> Double? {
        guard let element = member("radius") else { return nil }
        guard let radius = element.double, FenceSettings.radii.contains(radius) else {
            fault("radius", "This has to be a number of metres from 20 to 10000.")
            return nil
        }
        return radius
    }

    private mutating func until(_ now: Timestamp) -> Timestamp? {
        guard let text = text("until") else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            fault("until", "This has to be an RFC 3339 time, such as 2026-03-07T06:00:00Z.")
            return nil
        }
        if time <= now { fault("until", "This time is over: choose a later one.") }
        return time
    }

    /// The forms are those of quiet hours, and `days` with `from` and `to`.
    private mutating func schedule() -> Schedule? {
        guard let element = member("schedule") else { return nil }
        var hours = Endpoint.QuietHours(timeZone: zone, weekly: [])
        var isKnown = true
        if let text = element.string {
            hours.weekly = [text]
        } else if let array = element.array {
            hours.weekly = array.map { $0.string ?? "" }
        } else if let object = element.object {
            let known = ["timeZone", "weekly", "days", "from", "to", "except"]
            isKnown = object.allSatisfy { known.contains($0.name) }
            if let zone = element["timeZone"], !zone.isNull { hours.timeZone = zone.string ?? "" }
            hours.weekly = element["weekly"]?.array?.map { $0.string ?? "" } ?? []
            hours.except = element["except"]?.array?.map { $0.string ?? "" } ?? []
            if let from = element["from"]?.string, let to = element["to"]?.string {
                let days = element["days"]?.string.map { $0 + " " } ?? ""
                hours.weekly.append("\(days)\(from)-\(to)")
            } else if ["days", "from", "to"].contains(where: { element[$0] != nil }) {
                isKnown = false
            }
        }
        if isKnown, hours.weekly.count <= 128, hours.except.count <= 1024, let schedule = hours.schedule {
            return schedule
        }
        fault(
            "schedule",
            "Write a schedule as \"22:00-06:00\" or as {\"timeZone\":\"Europe/Lisbon\",\"weekly\":[\"Sun-Thu 22:00-06:00\"]}, "
                + "with at most 128 entries in \"weekly\" and 1024 days in \"except\".")
        return nil
    }
}

extension JSONWriter {
    /// Writes the state of a fence.
    mutating func value(_ status: FenceStatus) {
        beginObject()
        member("state", status.state.rawValue)
        if let obstacle = status.obstacle { member("obstacle", obstacle.rawValue) }
        if let fence = status.fence {
            members(of: fence)
        } else {
            member("radius", status.settings.radius)
            if let owner = status.settings.owner { member("owner", owner.rawValue) }
        }
        if let time = status.brokenAt { member("brokenAt", time) }
        if let schedule = status.settings.schedule {
            name("schedule")
            value(schedule)
        }
        endObject()
    }
}
