/// The items about what the app must do without.
extension AdvicePlanner {
    /// What each exclusion of the wish costs, and what serves it.
    var constraintItems: [Advice.Item] {
        wish.constraints.sorted().flatMap { constraint in
            switch constraint {
            case .noAlways: itemsWithoutAlways
            case .noBackground:
                [
                    item(
                        .limits, [.svc15, .svc02],
                        "Nothing is to arrive while the app is off screen: leave allowsBackgroundLocationUpdates and the "
                            + "background mode out.")
                ]
            case .noPrecise: itemsWithoutPrecise
            case .noRequest:
                [
                    item(
                        .grants, [.cb09, .auth01],
                        "Without a request there is no location at all. While Using is the least; the user can also choose "
                            + "Allow Once.")
                ]
            }
        } + activityItems
    }

    private var itemsWithoutAlways: [Advice.Item] {
        var items = [
            item(
                .grants, [.plist03],
                "Never call requestAlwaysAuthorization(), and leave \(PropertyKeys.alwaysAndWhenInUse) out: the user is then "
                    + "never asked for Always. Nor take a CLServiceSession(authorization: .always).",
                done: declaration.map { !$0.infoPlist.has(PropertyKeys.alwaysAndWhenInUse) })
        ]
        guard wantsAlways else { return items }
        let monitored = services.filter { $0.isClassicMonitoring }.map(\.rawValue)
        if !monitored.isEmpty {
            items.append(
                item(
                    .limits, [.relaunch04, .svc14],
                    "Lost without Always: nothing of \(monitored.joined(separator: ", ")) arrives while the app is not in use, "
                        + "and nothing launches it. It is not reported later either."))
        }
        if usesRegions {
            items += [
                item(
                    .services, [.svc20, .svc21],
                    "In place of it the system can show a notification at a region (UNLocationNotificationTrigger). The app "
                        + "runs no code for it until the user taps."),
                item(
                    .services, [.plat03, .live03, .dispute03],
                    "Or hold a CLBackgroundActivitySession with a CLMonitor, from iOS 17, taken on screen and with the "
                        + "background mode: the app stays in use, with an indicator, until its process ends."),
            ]
        }
        if wish.restarts {
            items.append(
                item(
                    .limits, [.relaunch04, .svc27],
                    "Lost without Always: nothing brings the updates back after a termination but the user."))
        }
        if services.contains(.locationPush) {
            items.append(
                item(.limits, [.push01], "Lost without Always: a location push does not run the extension."))
        }
        return items
    }

    private var itemsWithoutPrecise: [Advice.Item] {
        var items = [
            item(
                .keys, [.plist10, .acc03],
                "\(PropertyKeys.defaultReduced) set to true: the prompt then asks for an approximate location.",
                done: declaration.map { $0.infoPlist.isTrue(PropertyKeys.defaultReduced) })
        ]
        if usesRegions {
            items.append(
                item(
                    .limits, [.relaunch06, .acc06],
                    "Lost without precise locations: regions and beacons produce no event. Visits and significant changes "
                        + "do, with a coarse place."))
        }
        return items
    }

    private var activityItems: [Advice.Item] {
        guard !wish.activities.isEmpty else { return [] }
        return [
            item(
                .limits, [.slc05, .visit09],
                "Core Location does not know activities (\(wish.activities.joined(separator: ", "))): events come all the "
                    + "same, and the app leaves them out by CMMotionActivityManager of Core Motion, which needs "
                    + "NSMotionUsageDescription, or by the speed of a location.")
        ]
    }
}
