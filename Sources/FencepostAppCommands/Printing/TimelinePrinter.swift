import FencepostGeometry
package import FencepostModel
package import FencepostSimulator
package import Foundation

/// Formats events as a timeline for people: local time, device, event, region, details.
package struct TimelinePrinter {
    private let timeZone: TimeZone
    private let isColored: Bool
    private let explains: Bool
    /// Names of regions, for visits, which contain only ids.
    private let names: [RegionID: String]
    private let units: UnitSystem
    /// Columns that lines have to fit; `nil` for no limit.
    private let width: Int?
    private var lastDay: Int?
    private var (deviceWidth, locationWidth) = (12, 22)

    /// Six parameters, because each is a choice of its own.
    package init(
        timeZone: TimeZone, isColored: Bool, explains: Bool = false, names: [RegionID: String] = [:],
        units: UnitSystem = .metric, width: Int? = Console.outputWidth
    ) {
        self.timeZone = timeZone
        self.explains = explains
        self.names = names
        self.units = units
        self.width = width
        self.isColored = isColored
    }

    /// Sets the widths of the columns for these events.
    package mutating func fit(_ events: [Event]) {
        for event in events {
            deviceWidth = max(deviceWidth, event.deviceID.rawValue.count)
            locationWidth = min(max(locationWidth, describe(event).location.count), 40)
        }
    }

    /// Appends the line of an event. `sign` is its prefix: `+`, `-` or `~` in a comparison. `note` is the first of the
    /// details.
    package mutating func append(_ event: Event, to text: inout [UInt8], sign: String = "", note: String? = nil) {
        let (day, clock) = local(event.timestamp)
        if day != lastDay {
            text.append(contentsOf: "\(lastDay == nil ? "" : "\n")\(paint(heading(day), .bold))\n".utf8)
            lastDay = day
        }
        let device = event.deviceID.rawValue
        deviceWidth = max(deviceWidth, device.count)
        let (verb, style, location, described) = describe(event)
        let details = (note.map { [$0] } ?? []) + described
        locationWidth = min(max(locationWidth, location.count), 40)
        let start = "\(sign)\(sign.isEmpty ? "" : " ")\(clock)  \(pad(device, deviceWidth))  "
        let action = paint(pad(verb, 10), style) + "  "
        let used = start.count + max(verb.count, 10) + 2
        let rest = details.joined(separator: ", ")
        // Below the location when there is room, else near the margin.
        let column = used + max(location.count, locationWidth) + 2
        let indent = (width ?? .max) - column >= Self.leastWidth ? column : Self.margin
        if let width, used + location.count > width {
            let lines = Prose.lines(location + "  " + rest, width: width, used: used, indent: indent)
            append(start + action, lines, indent: indent, nil, to: &text)
        } else {
            let lines = Prose.lines(rest, width: width, used: column, indent: indent)
            append(start + action + pad(location, locationWidth) + "  ", lines, indent: indent, .dim, to: &text)
        }
        if explains, let why = event.why {
            let margin = String(repeating: " ", count: Self.margin)
            append(
                margin, Prose.lines(reason(why), width: width, used: Self.margin, indent: Self.margin + 2),
                indent: Self.margin + 2, .dim, to: &text)
        }
    }

    /// The columns of continued lines, and the fewest that details need next to the other columns.
    private static let (margin, leastWidth) = (10, 24)

    /// Appends the lines of a row after what precedes the first one.
    private func append(
        _ start: String, _ lines: [String], indent: Int, _ style: Style?, to text: inout [UInt8]
    ) {
        for (index, line) in lines.enumerated() {
            let before = index == 0 ? start : String(repeating: " ", count: indent)
            text.append(
                contentsOf: (before + (style.map { paint(line, $0) } ?? line)).trimmingSuffix(while: { $0 == " " }).utf8
            )
            text.append(UInt8(ascii: "\n"))
        }
    }

    /// Appends the delivery of an event to each app, one line per app.
    package func append(_ deliveries: [Delivery], to text: inout [UInt8]) {
        for delivery in deliveries {
            let verb =
                delivery.relaunch ? "starts the app" : delivery.appWoken ? "wakes the app" : delivery.outcome.rawValue
            let app = "  ↳ \(delivery.app ?? "app"): \(verb)"
            let indent = Self.margin + 4
            let lines = Prose.lines(
                "\(delivery.decidingRule.rawValue): \(delivery.because)", width: width, used: 8 + app.count + 2,
                indent: indent)
            append(
                "        " + paint(app, delivery.relaunch ? .green : .dim) + "  ", lines, indent: indent, .dim,
                to: &text)
        }
    }

    private func reason(_ why: Why) -> String {
        var parts = ["because \(why.rule.rawValue)"]
        if let distance = why.distance {
            parts.append("\(units.length(distance.magnitude)) \(distance < 0 ? "inside" : "outside") the boundary")
        }
        if let accuracy = why.accuracy { parts.append("accuracy \(units.length(accuracy))") }
        if let probability = why.probability {
            parts.append("inside with \(Int(clamped: (probability * 100).rounded())) %")
        }
        if !why.pendingFixes.isEmpty { parts.append("\(Prose.count(why.pendingFixes.count, "fix", "fixes")) pending") }
        return parts.joined(separator: ", ")
    }

    private func describe(_ event: Event) -> (verb: String, style: Style, location: String, details: [String]) {
        var details: [String] = []
        if let confidence = event.confidence { details.append("\(Int(clamped: (confidence * 100).rounded())) % sure") }
        if let earliest = event.earliest, let latest = event.latest {
            details.append("between \(local(earliest).clock) and \(local(latest).clock)")
        }
        let delay = (event.detectedAt - event.timestamp).seconds
        if delay >= 30 { details.append("known \(Prose.duration(seconds: delay)) later") }
        switch event.occurrence {
        case .regionEntered(let region):
            return ("entered", .green, region.name ?? region.id.rawValue, details)
        case .regionExited(let region, let reason):
            if let reason { details.insert("region \(reason.rawValue)", at: 0) }
            return ("exited", .yellow, region.name ?? region.id.rawValue, details)
        case .regionDwelled(let region, let dwell):
            return ("dwelled", .cyan, region.name ?? region.id.rawValue, [Prose.duration(seconds: dwell.seconds)])
        case .visitArrived(let visit):
            return ("arrived", .magenta, regionNames(of: visit), [position(of: visit)] + details)
        case .visitDeparted(let visit):
            if let arrival = visit.arrival, let departure = visit.departure {
                details.insert("stayed \(Prose.duration(seconds: (departure - arrival).seconds))", at: 0)
            }
            return ("departed", .magenta, regionNames(of: visit), details)
        case .deviceStale: return ("stale", .dim, "", ["no fix since \(silence(of: event))"])
        case .deviceRecovered: return ("recovered", .dim, "", [])
        case .appRelaunched(let app):
            return ("relaunched", .cyan, app.name ?? app.id, ["the app runs in the background"])
        case .alert(let alert):
            return (
                alert.state == .started ? "alert" : "ended", alert.state == .started ? .yellow : .green,
                alert.region.map { $0.name ?? $0.id.rawValue } ?? alert.rule, [words(of: alert)]
            )
        case .fence(let report): return words(of: report, details)
        case .proximity(let report):
            let distance = "\(units.length(report.distance)) apart, ± \(units.length(report.uncertainty))"
            let other = report.other.rawValue
            switch report.kind {
            case .entered: return ("near", .green, other, [distance] + details)
            case .exited(let isClosed):
                return ("apart", .yellow, other, [isClosed ? "its hours are over" : distance] + details)
            case .dwelled(let span): return ("dwelled", .cyan, other, [Prose.duration(seconds: span.seconds)])
            case .unaccompanied: return ("alone", .yellow, "without \(other)", [distance] + details)
            }
        case .plan(let report): return words(of: report, details)
        }
    }

    /// What happened to a fence: `42 m from where it stood`.
    private func words(
        of report: FenceReport, _ details: [String]
    ) -> (verb: String, style: Style, location: String, details: [String]) {
        switch report.kind {
        case .armed:
            return ("armed", .cyan, "its fence", ["within \(units.length(report.fence.radius)) of where it stands"])
        case .broken(let distance):
            return ("broke", .yellow, "its fence", ["\(units.length(distance)) from where it stood"] + details)
        case .disarmed(let reason):
            let words =
                switch reason {
                case .caller: "by request"
                case .schedule: "by its schedule"
                case .owner: "the owner is near"
                case .expired: "its time is over"
                }
            return ("disarmed", .green, "its fence", [words])
        }
    }

    /// What happened in a round: `round night, 22:00 to 22:30 UTC`.
    private func words(
        of report: PlanReport, _ details: [String]
    ) -> (verb: String, style: Style, location: String, details: [String]) {
        let region = report.stop.map { $0.region.name ?? $0.region.id.rawValue } ?? ""
        let round = "round \(report.name ?? report.plan) of \(Timestamp.date(day: report.day))"
        switch report.kind {
        case .visited: return ("visited", .green, region, [round] + details)
        case .late: return ("late", .yellow, region, [round] + details)
        case .missed: return ("missed", .yellow, region, [round] + details)
        case .completed(let summary):
            var words = "\(summary.visited) in time, \(summary.late) late, \(summary.missed) missed"
            if summary.isInOrder == false { words += ", not in order" }
            return ("completed", .cyan, round, [words])
        }
    }

    /// What an alert measured: `speed 92 km/h, limit 80 km/h`.
    private func words(of alert: Alert) -> String {
        func text(_ value: Double) -> String {
            guard let given = alert.unit else { return "\(Int(clamped: (value * 100).rounded())) %" }
            if given == "s" { return Prose.duration(seconds: value) }
            let (value, unit) = units.converted(value, from: given)
            // A phone may send a speed or an accuracy that no `Int` can hold.
            return (Int(exactly: value).map { String($0) } ?? String(value)) + " " + unit
        }
        var parts = [alert.kind.rawValue + (alert.value.map { " " + text($0) } ?? "")]
        if let limit = alert.limit { parts.append("limit " + text(limit)) }
        return parts.joined(separator: ", ")
    }

    private func regionNames(of visit: Visit) -> String {
        visit.regions.isEmpty ? "somewhere" : visit.regions.map { names[$0] ?? $0.rawValue }.joined(separator: ", ")
    }

    private func position(of visit: Visit) -> String {
        func degrees(_ value: Double) -> String { String((value * 10_000).rounded() / 10_000) }
        return "\(degrees(visit.coordinate.latitude)) \(degrees(visit.coordinate.longitude))"
            + " ± \(units.length(visit.horizontalAccuracy))"
    }

    private func silence(of event: Event) -> String {
        event.location.map { local($0.timestamp).clock } ?? "the start"
    }

    private func local(_ moment: Timestamp) -> (day: Int, clock: String) {
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        let local = moment + .seconds(timeZone.secondsFromGMT(for: date))
        let day = Int(clamped: (Double(local.milliseconds) / 86_400_000).rounded(.down))
        let seconds = Int(local.milliseconds - Int64(day) * 86_400_000) / 1000
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return (day, "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))")
    }

    private func heading(_ day: Int) -> String {
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let civil = Timestamp.civil(day: day)
        return "\(names[((day % 7) + 7) % 7]), \(civil.day) \(months[civil.month - 1]) \(civil.year)"
            + " (times of \(timeZone.identifier))"
    }

    private enum Style: String {
        case bold = "1"
        case dim = "2"
        case green = "32"
        case yellow = "33"
        case magenta = "35"
        case cyan = "36"
    }

    private func paint(_ text: String, _ style: Style) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
