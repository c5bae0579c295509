/// The items about updates that continue, and about launches in the background.
extension AdvicePlanner {
    /// How the updates of a path are started, kept running and brought back.
    var pathItems: [Advice.Item] {
        guard tracksInBackground else { return [] }
        var items = [
            item(
                .services, [.svc02],
                "Set allowsBackgroundLocationUpdates to true and start the updates on screen."),
            item(
                .services, [.svc24],
                "Set no distanceFilter and a desiredAccuracy of 100 metres or better, or show the indicator "
                    + "(showsBackgroundLocationIndicator): from iOS 16.4 an app with Always is suspended otherwise."),
            item(
                .services, [.svc26, .svc27],
                "Set pausesLocationUpdatesAutomatically to false: only the app ends a pause."),
        ]
        if restarts {
            items.append(
                item(
                    .services, [.slc01, .relaunch33, .svc25],
                    "Run significant changes as well: one launches the app after a termination, and the launch code starts "
                        + "the updates again."))
        }
        return items
    }

    /// Services for a parked car and for locations on demand.
    var otherItems: [Advice.Item] {
        var items: [Advice.Item] = []
        if services.contains(.requestLocation), services.contains(.visits) {
            items.append(
                item(
                    .services, [.svc03, .visit07],
                    "Offer a button that calls requestLocation() where the user parks: it is exact at once and needs While "
                        + "Using only. Visits find the place without the button, minutes late and with Always."))
        }
        if services.contains(.locationPush) {
            items.append(
                item(
                    .services, [.push01, .push02, .push04],
                    "A location push runs the extension, also after a force quit, and never the app. It has a daily budget "
                        + "and can stop for hours."))
        }
        return items
    }

    /// While Using is enough to show a notification at a place.
    var reminderGrant: [Advice.Item] {
        guard wish.reminds else { return [] }
        return [
            item(
                .grants, [.svc20, .svc21],
                "For the reminder alone While Using is enough: the system shows a UNLocationNotificationTrigger. Its loss: the "
                    + "app is not launched, runs no code and learns nothing unless the user taps. For code, as below:")
        ]
    }

    /// What code that a location launches has to do besides its services.
    var backgroundLaunchItems: [Advice.Item] {
        guard needsAlways else { return [] }
        var items = [
            item(
                .launchCode, [.relaunch19, .relaunch38],
                "Begin a background task first, and release every file lock within it: the run time may be nothing, and an "
                    + "app that is suspended with a lock is killed."),
            item(
                .launchCode, [.relaunch41],
                "Ask isProtectedDataAvailable before stored settings are read: before the first unlock they read as "
                    + "defaults."),
        ]
        if restarts {
            items.append(
                item(
                    .launchCode, [.svc25, .svc16],
                    "Set allowsBackgroundLocationUpdates again and call startUpdatingLocation(), also in the background."
                ))
        }
        return items
    }

    /// What a path loses.
    var pathLimits: [Advice.Item] {
        guard tracksInBackground else { return [] }
        guard restarts else {
            return [item(.limits, [.svc19, .relaunch27], "The route ends when the app is terminated by anybody.")]
        }
        return [
            item(
                .limits, [.slc01, .relaunch35],
                "After a termination the route has a gap until the first significant change: at least 500 metres, and "
                    + "thirteen minutes in one report.")
        ]
    }
}
