import FencepostHTTP
import FencepostJSON
import FencepostModel
import HTTPTypes

/// A tool of the Model Context Protocol: a route under a name and with words that a language model understands.
struct ModelTool: Sendable {
    /// In snake case, as clients show it.
    let name: String
    /// What it answers, and when it is the right one.
    let text: String
    let route: Route
    /// The route's parameters that the tool has.
    private let parameters: [Route.Parameter]
    /// What is sent with each call.
    private let fixed: [(name: String, value: String)]
    /// The member with the body of the request; `nil` for none.
    private let body: String?

    /// A call that does not fit a tool, as the end of a sentence.
    struct Mismatch: Error {
        let text: String
    }

    private init(
        _ name: String, _ route: String, _ text: String, fixed: [(name: String, value: String)] = [],
        body: String? = nil
    ) {
        guard let route = API.outline.routes.first(where: { $0.name == route }) else {
            preconditionFailure("no route has the name \(route)")
        }
        (self.name, self.route, self.text, self.fixed, self.body) = (name, route, text, fixed, body)
        // Files and headers are for other clients.
        parameters = route.parameters.filter { parameter in
            parameter.source != .header && parameter.name != "format" && parameter.name != "units"
                && !fixed.contains { $0.name == parameter.name }
        }
    }

    /// All tools. They read, and `check_regions` stores nothing.
    static let all: [ModelTool] = [
        ModelTool(
            "list_devices", "listDevices",
            "Lists devices (phones, vehicles, people) with their last position and the regions that each is in."),
        ModelTool(
            "get_device", "getDevice",
            "Says where a device is: last position, accuracy, time, speed, battery, and the regions that it is in."),
        ModelTool(
            "list_regions", "listRegions",
            "Lists regions (geofences) with their outlines; by name, tag, or around or within a place."),
        ModelTool("get_region", "getRegion", "Shows one region: its outline, name, tags and settings."),
        ModelTool("list_region_devices", "listRegionDevices", "Lists the devices that are inside a region now."),
        ModelTool(
            "list_visits", "listVisits",
            "Lists visits: stays of devices at places, with arrival, departure and the regions there."),
        ModelTool("list_trips", "listTrips", "Lists trips between stays: start, end, distance, duration, speed, mode."),
        ModelTool(
            "get_timeline", "getTimeline",
            "Shows what a device did in a period: stays, trips and time without locations, in order."),
        ModelTool(
            "get_summaries", "listSummaries",
            "Adds up time inside, visits, trips and distance by device, group, region or tag, for days, weeks or months."
        ),
        ModelTool(
            "list_events", "listEvents",
            "Lists events: entries and exits of regions, dwells, visits, alerts. type takes patterns such as region.*."),
        ModelTool(
            "explain_event", "getEvent",
            "Shows an event and why it happened: the locations, distances and rules behind the decision.",
            fixed: [("explain", "true")]),
        ModelTool("list_places", "listPlaces", "Suggests places of a device from its frequent visits."),
        ModelTool("list_locations", "listLocations", "Lists the stored locations of a device, by time."),
        ModelTool(
            "check_regions", "postRegions",
            "Checks regions in GeoJSON without storing them: how many would be created, and what is wrong where. Nothing is "
                + "created. Needs the scope write.", fixed: [("dryRun", "true")], body: "regions"),
    ]

    /// Writes the tool as `tools/list` has it.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("title", route.summary)
        writer.member("description", text)
        writer.name("inputSchema")
        writer.beginObject()
        writer.member("type", "object")
        writer.name("properties")
        writer.beginObject()
        for parameter in parameters {
            writer.name(parameter.name)
            writer.raw(described(parameter))
        }
        if let body {
            writer.member(
                body,
                raw: #"{"type":"object","description":"A GeoJSON Feature or FeatureCollection of regions."}"#)
        }
        writer.endObject()
        writer.list("required", parameters.filter(\.isRequired).map(\.name) + [body].compactMap { $0 })
        writer.member("additionalProperties", false)
        writer.endObject()
        writer.member(
            "annotations",
            raw: #"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#)
        writer.endObject()
    }

    /// The schema of a parameter with what it means.
    private func described(_ parameter: Route.Parameter) -> String {
        var text = JSONWriter()
        // The call is encoded here, and not by the model.
        text.value(parameter.source == .path ? "The id, exactly as the lists have it." : parameter.text)
        let members = parameter.schema.dropFirst().dropLast()
        return "{\"description\":\(String(decoding: text.bytes, as: UTF8.self))\(members.isEmpty ? "" : ",")\(members)}"
    }

    /// The request of a call.
    ///
    /// - Parameter arguments: an object; `nil` for none.
    /// - Returns: the path with the query, and the body; `nil` for none.
    /// - Throws: a `Mismatch` for arguments that the tool does not have, or that it needs.
    func request(_ arguments: JSONElement?) throws(Mismatch) -> (target: String, body: [UInt8]?) {
        if let arguments, !arguments.isNull, arguments.object == nil {
            throw Mismatch(text: "the arguments have to be an object")
        }
        let known = parameters.map(\.name) + [body].compactMap { $0 }
        for member in arguments?.object.map(Array.init) ?? [] where !known.contains(member.name) {
            throw Mismatch(text: "\(name) has no argument \(member.name); it has \(known.joined(separator: ", "))")
        }
        var path = route.path
        var items = fixed
        for parameter in parameters {
            guard let element = arguments?[parameter.name], !element.isNull else {
                if parameter.isRequired { throw Mismatch(text: "\(name) needs the argument \(parameter.name)") }
                continue
            }
            let value = try Self.text(element, of: parameter)
            if parameter.source == .path {
                path = path.replacing("{\(parameter.name)}", with: value.percentEncoded)
            } else {
                items.append((parameter.name, value))
            }
        }
        let query = items.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        let target = path + (query.isEmpty ? "" : "?" + query)
        guard let body else { return (target, nil) }
        guard let content = arguments?[body], content.object != nil else {
            throw Mismatch(text: "\(name) needs the argument \(body), an object of GeoJSON")
        }
        return (target, Array(content.text.utf8))
    }

    /// A value as the query has it.
    private static func text(_ element: JSONElement, of parameter: Route.Parameter) throws(Mismatch) -> String {
        if let text = element.string { return text }
        guard element.object == nil else { throw Mismatch(text: "\(parameter.name) cannot be an object") }
        guard let array = element.array else { return element.text }
        // Positions and boxes are numbers with commas between them, types of events words.
        let texts = array.compactMap { item in
            item.double.map { _ in item.text } ?? (parameter.values == .eventTypes ? item.string : nil)
        }
        guard texts.count == array.count else {
            throw Mismatch(text: "\(parameter.name) takes one text, and no array of texts: call the tool for each")
        }
        return texts.joined(separator: ",")
    }
}
