import FencepostHTTP
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService

/// Routes of alert rules (rules K9, A31).
extension API {
    var alertRuleRoutes: [Route] {
        NamedRuleRoutes<AlertRule>(
            api: self,
            texts: .init(
                path: "/v1/alert-rules", type: "AlertRule", article: "an alert rule", noun: "alert rule",
                code: "alert_rule", tag: "Alerts", idPrefix: "alr_",
                whenAdded: "applies from the next location of each device on",
                whenReplaced: "An alert of another type or region ends without an event",
                whenRemoved: "Its alerts end without an event",
                example: #"{"type":"speed","above":"90 km/h","groups":["vans"]}"#, change: #"{"above":"80 km/h"}"#),
            configured: { monitoring.configuredAlerts() },
            check: { rule, former in try await check(rule, replacing: former) }
        ).all
    }

    private func check(_ rule: AlertRule, replacing former: AlertRule?) async throws {
        try checkNames([("devices", rule.devices?.map(\.rawValue) ?? []), ("groups", rule.groups ?? [])])
        if let region = rule.watchedRegion, region != former?.watchedRegion,
            monitoring.regions().catalog.handle(for: region).flatMap({ monitoring.regions().catalog[$0] }) == nil
        {
            throw refusal("/region", "There is no region \"\(region.rawValue)\": add it first.")
        }
        try await checkGroups([("groups", rule.groups ?? [])], known: former?.groups ?? [])
    }
}

extension AlertRule {
    /// The region that it is restricted to, or that its time of day is about.
    fileprivate var watchedRegion: RegionID? {
        switch condition {
        case .absent(let region, _), .present(let region, _): region
        case .speed, .battery, .accuracy, .jump, .unplugged, .silent: region
        }
    }
}
