/// The default texts of messages: one sentence, and one line of detail.
enum MessageSentences {
    /// What happened, such as `Jane came home at 18:02`.
    static func sentence(_ context: MessageContext) -> String {
        func text(_ name: String) -> String { context.texts[name] ?? "" }
        let who = text("device")
        let at = context.texts["when"].map { " \($0)" } ?? ""
        let isHome = context.flags.contains("home")
        switch context.type {
        case "region.entered", "visit.arrived": return arrival(context, at)
        case "region.exited": return isHome ? "\(who) left home\(at)" : "\(who) left \(text("region"))\(at)"
        case "region.dwelled":
            return "\(who) has been \(isHome ? "home" : "at " + text("region")) for \(text("duration"))"
        case "visit.departed":
            let stay = context.texts["duration"].map { " after \($0)" } ?? ""
            guard let area = context.texts["region"] else { return "\(who) moved on\(at)\(stay)" }
            return "\(who) left \(isHome ? "home" : area)\(at)\(stay)"
        case "device.stale": return "\(who) has stopped reporting"
        case "device.recovered": return "\(who) is reporting again"
        case "app.relaunched": return "\(text("app")) was relaunched for \(who)"
        case "endpoint.disabled": return "The endpoint \(text("endpoint")) was disabled"
        case "delivery.exhausted": return "A message to \(text("endpoint")) could not be delivered"
        case "report.ready": return text("report") + (context.texts["period"].map { ": \($0)" } ?? "")
        case "webhook.test": return "Test message from Fencepost"
        case let type where type.hasPrefix("alert."): return alert(context)
        case let type where type.hasPrefix("fence."): return fence(context, at)
        case let type where type.hasPrefix("proximity."): return proximity(context, at)
        case let type where type.hasPrefix("plan."): return plan(context, at)
        case "event.retracted": return "Correction: an event of \(who)\(at) did not happen"
        default:
            if let reason = context.texts["reason"] { return who.isEmpty ? reason : "\(who): \(reason)" }
            return who.isEmpty ? context.type : "\(who): \(context.type)"
        }
    }

    /// Who came where, such as `Jane came home at 18:02`; who was there before is there now.
    private static func arrival(_ context: MessageContext, _ at: String) -> String {
        let who = context.texts["device"] ?? ""
        let isHome = context.flags.contains("home")
        // A stay at no region: the detail has its position.
        guard let area = context.texts["region"] else { return "\(who) stopped\(at)" }
        if context.flags.contains("there") { return "\(who) is \(isHome ? "home" : "at " + area)" }
        return "\(who) \(isHome ? "came home" : "arrived at " + area)\(at)"
    }

    /// What happened to a fence, such as `Van 12 was moved at 02:14: 210 m from where it stood`.
    private static func fence(_ context: MessageContext, _ at: String) -> String {
        let who = context.texts["device"] ?? ""
        switch context.type {
        case "fence.armed": return "\(who) is watched where it stands"
        case "fence.broken":
            return "\(who) was moved\(at)\(context.texts["distance"].map { ": \($0) from where it stood" } ?? "")"
        case "fence.disarmed":
            let words = [
                "schedule": "its time of day is over", "owner": "its owner is near", "expired": "its time is over",
            ]
            let reason = context.texts["reason"].flatMap { words[$0] }
            return "\(who) is no longer watched\(reason.map { ": \($0)" } ?? "")"
        default: return "\(who): \(context.type)"
        }
    }

    /// What happened to two devices, such as `Jane and Rex met at 18:02`.
    private static func proximity(_ context: MessageContext, _ at: String) -> String {
        let (who, other) = (context.texts["device"] ?? "", context.texts["other"] ?? "another device")
        switch context.type {
        case "proximity.entered": return "\(who) came near \(other)\(at)"
        case "proximity.exited": return "\(who) and \(other) are apart\(at)"
        case "proximity.dwelled":
            return "\(who) has been near \(other)\(context.texts["duration"].map { " for \($0)" } ?? "")"
        case "proximity.unaccompanied": return "\(who) went away without \(other)\(at)"
        default: return "\(who): \(context.type)"
        }
    }

    /// What happened in a round, such as `Guard 3 missed North gate (22:00 to 22:30) on the round Night shift`.
    private static func plan(_ context: MessageContext, _ at: String) -> String {
        func text(_ name: String) -> String { context.texts[name] ?? "" }
        let who = text("device")
        let round = " on the round \(text("plan"))"
        let window = context.texts["window"].map { " (\($0))" } ?? ""
        let area = context.texts["region"] ?? "a place"
        switch context.type {
        case "plan.visited":
            let order = context.flags.contains("outOfOrder") ? ", out of order" : ""
            return "\(who) visited \(area)\(at)\(round)\(order)"
        case "plan.late": return "\(who) was late at \(area)\(at)\(window)\(round)"
        case "plan.missed": return "\(who) missed \(area)\(window)\(round)"
        case "plan.completed":
            let order = context.flags.contains("outOfOrder") ? ", not in order" : ""
            return "\(who) ended the round \(text("plan")): \(text("visited")) of \(text("places")) in time, "
                + "\(text("late")) late, \(text("missed")) missed\(order)"
        default: return "\(who): \(context.type)"
        }
    }

    /// What an alert reports, such as `Van 12 drives 92 km/h; 80 km/h is the limit at Depot`.
    private static func alert(_ context: MessageContext) -> String {
        let who = context.texts["device"] ?? ""
        let hasEnded = context.flags.contains("ended")
        let value = context.texts["value"]
        let limit = context.texts["limit"].map { "\($0) is the limit" } ?? ""
        let region = context.texts["region"].map { " at \($0)" } ?? ""
        switch context.type {
        case "alert.speed":
            if hasEnded { return "\(who) no longer drives too fast" + region }
            return "\(who) drives \(value ?? "too fast"); \(limit)\(region)"
        case "alert.battery":
            let level = value.map { " at \($0)" } ?? ""
            return hasEnded
                ? "The battery of \(who) is no longer low\(value.map { ": \($0)" } ?? "")"
                : "The battery of \(who) is\(level.isEmpty ? " low" : level)"
        case "alert.accuracy":
            if hasEnded { return "The position of \(who) is accurate again" }
            let span = context.texts["duration"].map { " for \($0)" } ?? ""
            return "The position of \(who) has been inaccurate\(span)\(value.map { ", now by \($0)" } ?? "")"
        case "alert.jump":
            return "\(who) jumped \(context.texts["distance"] ?? "far"), as if at \(value ?? "an impossible speed")"
        case "alert.unplugged":
            return hasEnded ? "\(who) has external power again" : "\(who) was unplugged and runs on its battery"
        case "alert.absent", "alert.present":
            let isAbsent = context.type == "alert.absent"
            let area = context.flags.contains("home") ? "home" : "at \(context.texts["region"] ?? "the region")"
            if hasEnded { return "The alert that \(who) is \(isAbsent ? "not" : "still") \(area) is over" }
            let time = context.texts["time"].map { " \(isAbsent ? "by" : "at") \($0)" } ?? ""
            return "\(who) was \(isAbsent ? "not" : "still") \(area)\(time)"
        case "alert.silent":
            if hasEnded { return "\(who) is reporting again\(value.map { " after \($0)" } ?? "")" }
            return "\(who) has sent no location\(context.texts["limit"].map { " for \($0)" } ?? "")"
        default: return "\(who): \(context.type)"
        }
    }

    /// When and how, such as `Sunday 22 November, 18:02 CET`; empty when nothing is known.
    static func detail(_ context: MessageContext) -> String {
        var parts: [String] = []
        if context.type == "report.ready" { return context.texts["reportDetail"] ?? "" }
        if let date = context.texts["date"], let time = context.texts["time"] {
            // The sentence has the bounds.
            let moment = context.flags.contains("bounded") ? "" : ", \(time)"
            parts.append("\(date)\(moment) \(context.texts["zone"] ?? "")")
        }
        if context.type.hasPrefix("visit."), context.texts["region"] == nil, let position = context.texts["place"] {
            parts.append("near \(position)")
        }
        if context.type == "endpoint.disabled", let reason = context.texts["reason"] { parts.append(reason) }
        return parts.joined(separator: "\n")
    }
}
