import FencepostModel
import FencepostSimulator

/// The life of the app's process: launches, the foreground, and its end.
extension ScenarioComposer {
    mutating func launched(_ app: AppAtLaunch, _ entry: LogEntry) {
        flushLaunch()
        if first == nil {
            first = app
            if process == .unknown {
                startsTerminated = true
                startStatus = app.status
                known += app.regions
                let isNew = app.status == .notDetermined && app.regions.isEmpty && !app.isInBackground
                initialCause = options.terminatedBy ?? (isNew ? .neverLaunched : nil)
                if initialCause == nil {
                    note(
                        "The logs do not say who ended the app before the first launch: assumed the system. "
                            + "--terminated-by names it.")
                }
            }
        }
        if process == .foreground || process == .background {
            end(by: options.terminatedBy, entry, isInferred: true)
        }
        hasSentLocations = false
        if app.isInBackground {
            launch = entry
            process = .background
            takeStatus(app)
        } else {
            var seen = SeenOnDevice()
            (seen.status, seen.accuracy) = (app.status, status == .notDetermined ? nil : app.accuracy)
            if app.status == .notDetermined { seen.accuracy = nil }
            process = .foreground
            takeStatus(app)
            add("launch", [AnswerValue.Member("by", .text("user"))], entry, seen)
        }
    }

    private mutating func takeStatus(_ app: AppAtLaunch) {
        status = app.status ?? status
        accuracy = app.accuracy ?? accuracy
    }

    /// A launch by the system without an event: a push, a background task, or an event that the app did not log.
    mutating func flushLaunch() {
        guard let entry = launch else { return }
        launch = nil
        add("launch", [AnswerValue.Member("by", .text("system"))], entry)
        note(
            "\(entry.source): the system launched the app, and no event followed within a minute: assumed a push or a "
                + "background task.")
    }

    mutating func foreground(_ entry: LogEntry) {
        switch process {
        case .foreground: return
        case .unknown: startsForeground = true
        case .background, .terminated:
            if launch != nil { flushLaunch() }
            add("enterForeground", [], entry)
        }
        process = .foreground
    }

    mutating func background(_ entry: LogEntry) {
        switch process {
        case .background: return
        case .terminated:
            // The system reports a launch in the background; the recorder's own line, if there is one, comes later.
            launch = entry
        case .unknown, .foreground: add("enterBackground", [], entry)
        }
        if process == .unknown { startsForeground = true }
        process = .background
    }

    mutating func terminated(_ cause: Termination?, _ entry: LogEntry) {
        flushLaunch()
        if process == .terminated {
            // Several logs report one end; the first that names a cause counts.
            guard let cause, causeIsAssumed, let index = steps.lastIndex(where: { $0.verb == "terminate" }) else {
                return
            }
            steps[index].set("by", cause.rawValue)
            steps[index].line = entry.source
            notes.removeAll { $0.hasSuffix(Self.assumption) }
            return causeIsAssumed = false
        }
        if process == .unknown, steps.isEmpty {
            // The log begins with an end: that is where the scenario starts.
            startsTerminated = true
            initialCause = cause ?? options.terminatedBy
            return process = .terminated
        }
        end(by: cause ?? options.terminatedBy, entry, isInferred: false)
    }

    static let assumption = "the logs do not say who ended the app: assumed the system. --terminated-by names it."

    private mutating func end(by cause: Termination?, _ entry: LogEntry, isInferred: Bool) {
        causeIsAssumed = cause == nil
        if cause == nil { note("\(entry.source): \(Self.assumption)") }
        add("terminate", [AnswerValue.Member("by", .text((cause ?? .system).rawValue))], entry)
        // An end that follows from the next launch has no line of its own.
        if isInferred { steps[steps.count - 1].line = nil }
        process = .terminated
        isInUse = nil
    }
}
