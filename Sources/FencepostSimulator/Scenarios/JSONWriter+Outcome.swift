public import FencepostJSON
import FencepostModel

extension JSONWriter {
    /// Writes the outcome of a scenario in the form that `simulate --json` prints.
    public mutating func value(_ outcome: Outcome) {
        beginObject()
        member("name", outcome.name)
        member("passed", outcome.passed)
        name("final")
        value(outcome.final)
        member("callbacks", outcome.callbacks.map(\.rawValue))
        member("callbackName", outcome.final.device.callbackName)
        array("prompts", outcome.prompts) { $0.value($1) }
        array("deliveries", outcome.deliveries) { $0.value($1) }
        array("errors", outcome.errors) { $0.value($1) }
        name("crash")
        if let crash = outcome.crash {
            beginObject()
            member("step", crash.step)
            member("rule", crash.rule.rawValue)
            member("text", crash.text)
            endObject()
        } else {
            null()
        }
        member("missingKeys", outcome.missingKeys)
        member("appMust", outcome.appMust)
        member("appNeedNot", outcome.appNeedNot)
        array("steps", Array(outcome.steps.enumerated())) { $0.value($1.element, at: $1.offset) }
        array("warnings", outcome.warnings) { $0.value($1) }
        if let disagreements = outcome.disagreements {
            array("disagreements", disagreements) { $0.value($1) }
        }
        if let failures = outcome.failures {
            array("failures", failures) { writer, failure in
                writer.beginObject()
                writer.member("path", failure.path)
                writer.name("expected")
                writer.raw(failure.expected)
                writer.name("actual")
                writer.raw(failure.actual)
                writer.endObject()
            }
        }
        endObject()
    }

    mutating func value(_ final: FinalState) {
        let device = final.device
        beginObject()
        member("grant", device.grant.rawValue)
        member("reportedStatus", device.reportedStatus.rawValue)
        member("settingsRow", device.settingsRow?.rawValue)
        member("userCanChange", final.userCanChange)
        member("accuracyAuthorization", device.accuracyAuthorization.rawValue)
        member("settingsPrecise", device.accuracy == .full || !device.system.isAtLeast(14))
        member("lifecycle", device.lifecycle.rawValue)
        member("inUse", device.isInUse)
        member("keptRunning", device.isKeptRunning)
        member("launches", final.launches)
        member("alwaysRequestUsed", device.alwaysRequestUsed)
        member("monitoredRegions", final.monitoredRegions)
        array("services", device.services) { $0.value($1) }
        member("secondPromptScheduled", final.secondPromptScheduled)
        member("indicatorShown", device.showsIndicator)
        member("launchCauses", final.launchCauses)
        endObject()
    }

    mutating func value(_ prompt: Prompt) {
        beginObject()
        member("step", prompt.step)
        member("kind", prompt.kind.rawValue)
        member("buttons", prompt.buttons.map(\.rawValue))
        member("descriptionKey", prompt.descriptionKey)
        member("preciseToggle", prompt.preciseToggle)
        member("titleMentionsApproximate", prompt.titleMentionsApproximate)
        endObject()
    }

    mutating func value(_ error: ServiceError) {
        beginObject()
        member("step", error.step)
        member("domain", error.code.domain)
        member("code", error.code.code)
        member("name", error.code.name)
        if let region = error.region { member("region", region) }
        endObject()
    }

    mutating func value(_ difference: Disagreement) {
        beginObject()
        member("step", difference.step)
        member("line", difference.line)
        member("what", difference.what)
        member("member", difference.member)
        member("onDevice", difference.onDevice)
        member("byRules", difference.byRules)
        member("rules", difference.rules.map(\.rawValue))
        member("because", difference.because)
        endObject()
    }

    mutating func value(_ warning: RuleWarning) {
        beginObject()
        member("rule", warning.rule.rawValue)
        member("text", warning.text)
        endObject()
    }

    mutating func value(_ step: Outcome.StepRecord, at index: Int) {
        beginObject()
        member("step", index)
        member("do", step.name)
        member("effect", step.report.effect)
        member("rules", step.report.rules.map(\.rawValue))
        member("notes", step.report.notes)
        if !step.report.result.isEmpty {
            name("result")
            value(AnswerValue.members(step.report.result))
        }
        endObject()
    }

    /// Writes the answer of a step.
    public mutating func value(_ answer: AnswerValue) {
        switch answer {
        case .null: null()
        case .bool(let bool): value(bool)
        case .number(let number): value(number)
        case .text(let text): value(text)
        case .list(let list):
            beginArray()
            for element in list { value(element) }
            endArray()
        case .members(let members):
            beginObject()
            for member in members {
                name(member.name)
                value(member.value)
            }
            endObject()
        }
    }

    mutating func value(_ object: ServiceObject) {
        beginObject()
        member("service", object.service.rawValue)
        if let identifier = object.identifier { member("identifier", identifier) }
        if let center = object.center {
            name("center")
            beginArray()
            for degrees in center { value(degrees) }
            endArray()
        }
        optional("radius", object.radius)
        optional("notifyOnEntry", object.notifyOnEntry)
        optional("notifyOnExit", object.notifyOnExit)
        if let state = object.state { member("state", state.rawValue) }
        if let monitor = object.monitor { member("monitor", monitor) }
        optional("allowsBackgroundLocationUpdates", object.allowsBackgroundLocationUpdates)
        optional("showsBackgroundLocationIndicator", object.showsBackgroundLocationIndicator)
        optional("distanceFilter", object.distanceFilter)
        optional("desiredAccuracy", object.desiredAccuracy)
        optional("pausesLocationUpdatesAutomatically", object.pausesLocationUpdatesAutomatically)
        if let activity = object.activityType { member("activityType", activity.rawValue) }
        if object.isPaused == true { member("paused", true) }
        member("stopped", object.stopped ?? false)
        endObject()
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ text: String?) {
        self.name(name)
        if let text { value(text) } else { null() }
    }

    mutating func member(_ name: String, _ bool: Bool) {
        self.name(name)
        value(bool)
    }

    mutating func member(_ name: String, _ number: Int) {
        self.name(name)
        value(number)
    }

    mutating func member(_ name: String, _ texts: [String]) {
        array(name, texts) { $0.value($1) }
    }

    mutating func optional(_ name: String, _ number: Double?) {
        guard let number else { return }
        self.name(name)
        value(number)
    }

    mutating func optional(_ name: String, _ bool: Bool?) {
        if let bool { member(name, bool) }
    }

    mutating func array<Element>(
        _ name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}
