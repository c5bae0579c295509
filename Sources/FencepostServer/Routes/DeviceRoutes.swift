import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostService
import HTTPTypes

/// Routes of devices: their positions, and their stored data.
extension API {
    var deviceRoutes: [Route] { [listDevices, getDevice, deleteDevice, exportDevice] }

    private var listDevices: Route {
        Route(
            method: .get, path: "/v1/devices", name: "listDevices", summary: "Lists devices by id", tag: "Devices",
            access: .scope(.read), parameters: Self.listed + Route.Parameter.paging,
            successes: [.json(Schema.devices, "A page of devices.")],
            partition: .pages(.id("id")),
            handle: { call in
                let region = call.query["regionId"].map(RegionID.init)
                guard let since = call.query["changedSince"] else {
                    let (choice, tagged) = (try await choice(of: call), taggedRegions(of: call).map(Set.init))
                    return try devices(call, in: region) { device in
                        choice.includes(device.deviceID) && tagged.map { !$0.isDisjoint(with: device.regions) } ?? true
                    }
                }
                for parameter in Self.listed where parameter != Self.changedSince {
                    guard call.query[parameter.name] == nil else {
                        throw Problem.parameter("changedSince", "it cannot be combined with \(parameter.name).")
                    }
                }
                return try devices(call, changedSince: since)
            })
    }

    private static let listed: [Route.Parameter] = {
        var tag = Route.Parameter.tag
        tag.text = "Only devices inside a region with this tag."
        return Route.Parameter.choice + [.regionID, tag, changedSince]
    }()

    private static let changedSince = Route.Parameter(
        name: "changedSince", schema: #"{"type":"string","maxLength":16384,"pattern":"^[A-Za-z0-9.-]+$"}"#,
        text:
            "Only devices that changed since the response with this version. start returns all devices and a version."
    )

    /// A page of the devices that changed since a version, with the version for the next request.
    ///
    /// Versions are valid for one run of the service. For a version of another run the page contains all devices.
    private func devices(_ call: Call, changedSince text: String) throws(Problem) -> RouteResponse {
        let limit = try call.limit()
        let cursor = try call.cursor(Cursor.id)
        let known = text.split(separator: ".").map(String.init)
        let since = known.count == 2 && known[0] == runID ? Int64(known[1]) ?? -1 : -1
        var version: Int64 = 0
        var found = visible(call, after: cursor.map { DeviceID($0) }, limit: limit + 1, where: nil) { last, count in
            let page = monitoring.devices(changedSince: since, after: last, limit: count)
            // The version of the first page: later changes are part of the next request.
            if version == 0 { version = page.version }
            return page.devices
        }
        if let own = call.caller.deviceID {
            found = cursor == nil ? [monitoring.device(own)].compactMap { $0 }.filter { $0.version > since } : []
        }
        let next = found.count > limit ? Cursor.encode(id: found[limit - 1].deviceID.rawValue) : nil
        let response = RouteResponse { writer in
            writer.beginObject()
            writer.array("data", found.prefix(limit)) { $0.value($1) }
            writer.member("version", "\(runID).\(version)")
            writer.name("nextCursor")
            if let next { writer.value(next) } else { writer.null() }
            writer.endObject()
        }
        return call.linked(response, next: next)
    }

    /// A page of the devices in a region, or of all devices.
    ///
    /// `isWanted`: whether a device counts; `nil` for all.
    func devices(
        _ call: Call, in region: RegionID?, where isWanted: ((DeviceStatus) -> Bool)? = nil
    ) throws(Problem) -> RouteResponse {
        let limit = try call.limit()
        let cursor = try call.cursor(Cursor.id)
        var found: [DeviceStatus]
        if let own = call.caller.deviceID {
            found = [monitoring.device(own)].compactMap { $0 }.filter { device in
                cursor == nil && region.map(device.regions.contains) ?? true && isWanted?(device) ?? true
            }
        } else {
            found = visible(
                call, after: cursor.map { DeviceID($0) }, limit: limit + 1, where: isWanted
            ) { last, count in
                monitoring.devices(after: last, in: region, limit: count)
            }
        }
        let next = found.count > limit ? Cursor.encode(id: found[limit - 1].deviceID.rawValue) : nil
        return call.page(found.prefix(limit), next: next) { $0.value($1) }
    }

    /// Up to `limit` devices that the caller may see and that are wanted, from pages of all devices.
    private func visible(
        _ call: Call, after start: DeviceID?, limit: Int, where isWanted: ((DeviceStatus) -> Bool)?,
        _ read: (DeviceID?, Int) -> [DeviceStatus]
    ) -> [DeviceStatus] {
        guard call.caller.visibility.devices != nil || isWanted != nil else { return read(start, limit) }
        var (found, last): ([DeviceStatus], DeviceID?) = ([], start)
        while true {
            let page = read(last, Call.largestLimit)
            found += page.filter { call.caller.maySee($0.deviceID) && isWanted?($0) ?? true }
            guard page.count == Call.largestLimit, found.count < limit else { return Array(found.prefix(limit)) }
            last = page.last?.deviceID
        }
    }

    private var getDevice: Route {
        Route(
            method: .get, path: "/v1/devices/{id}", name: "getDevice", summary: "Shows a device and its last position",
            tag: "Devices", access: .scope(.read), parameters: [.id("device")],
            successes: [.json(Schema.named("Device"), "The device, with an ETag.")],
            partition: .device,
            handle: { call in
                guard let device = monitoring.device(try call.pathDevice()) else { throw Problem.notFound("device") }
                return RouteResponse { $0.value(device) }.tagged()
            })
    }

    private var deleteDevice: Route {
        Route(
            method: .delete, path: "/v1/devices/{id}", name: "deleteDevice",
            summary: "Deletes the state of a device; with erase=true all of its stored data", tag: "Devices",
            access: .scope(.admin),
            parameters: [
                .id("device"), .flag("erase", "Deletes locations, events, visits and all other data of the device."),
            ],
            successes: [.noContent("The device was deleted.")], failures: [.preconditionFailed],
            partition: .device,
            handle: { call in
                let device = try call.pathDevice()
                let erases = try call.flag("erase")
                let status = monitoring.device(device)
                if call.precondition.ifMatch != nil {
                    try call.precondition.check(
                        status.map { status in
                            var writer = JSONWriter()
                            writer.value(status)
                            return EntityTag(of: writer.bytes)
                        })
                }
                let isStored = erases ? try await self.isStored(device) : false
                let wasKnown = try await monitoring.forget(device)
                if erases {
                    try await store.erase(device)
                    // The dispatcher may have messages of the device in memory.
                    try await endpoints.endpointsDidChange()
                    try await didErase()
                }
                guard wasKnown || isStored else { throw Problem.notFound("device") }
                return .noContent
            })
    }

    /// Whether the store contains data of the device.
    private func isStored(_ device: DeviceID) async throws -> Bool {
        var filter = HistoryFilter()
        filter.deviceID = device
        if try await !store.locations(of: device, from: nil, to: nil, after: nil, limit: 1).isEmpty { return true }
        if try await !store.events(filter, after: 0, limit: 1).isEmpty { return true }
        if try await !store.reports(filter, kind: nil, after: 0, limit: 1).isEmpty { return true }
        return try await !store.quarantine(filter, after: 0, limit: 1).isEmpty
    }

    private var exportDevice: Route {
        Route(
            method: .get, path: "/v1/devices/{id}/export", name: "exportDevice",
            summary: "Exports all stored data of a device", tag: "Devices", access: .scope(.admin),
            parameters: [
                .id("device"),
                Route.Parameter(
                    name: "format", words: DeviceExport.Format.self,
                    text: "json contains all data; gpx and geojson contain the locations."),
            ],
            successes: [
                .json(Schema.named("DeviceExport"), "Everything, as JSON."),
                Route.Success(status: .ok, type: RouteResponse.geoJSON, schema: Schema.object, text: "The locations."),
                Route.Success(status: .ok, type: DeviceExport.Format.gpx.type, schema: Schema.string, text: "A track."),
            ],
            partition: .device,
            handle: { call in
                let device = try call.pathDevice()
                let format = try call.word("format", DeviceExport.Format.self) ?? .json
                let status = monitoring.device(device)
                let isKnown = if status == nil { try await isStored(device) } else { true }
                guard isKnown else { throw Problem.notFound("device") }
                let caller = call.caller
                let export = DeviceExport(
                    device: device, status: status, store: store, isAllowed: { await isStillValid(caller) })
                return RouteResponse(
                    .ok, headers: [.contentType: format.type],
                    body: .stream { writer in try await export.write(format, to: &writer) })
            })
    }
}

extension JSONWriter {
    mutating func value(_ device: DeviceStatus) {
        beginObject()
        member("id", device.deviceID.rawValue)
        if let location = device.lastLocation {
            name("lastLocation")
            value(location)
        }
        list("regions", device.regions.map(\.rawValue))
        if let visit = device.visit {
            name("visit")
            value(visit)
        }
        member("isStale", device.isStale)
        if !device.alerts.isEmpty {
            array("alerts", device.alerts) { writer, alert in
                writer.beginObject()
                writer.member("rule", alert.rule)
                if let region = alert.region { writer.member("regionId", region.rawValue) }
                writer.member("since", alert.since)
                writer.endObject()
            }
        }
        if let fence = device.fence {
            name("fence")
            value(fence)
        }
        if let offset = device.clockOffset { member("clockOffset", offset) }
        if let other = device.secondPhone {
            name("secondPhone")
            beginObject()
            member("latitude", other.latitude)
            member("longitude", other.longitude)
            endObject()
        }
        endObject()
    }
}
