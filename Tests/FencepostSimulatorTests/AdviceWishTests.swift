import FencepostJSON
import FencepostSimulator
import Testing

/// What a wish excludes, and several wishes in one text.
@Suite("A wish") struct AdviceWishTests {
    typealias Goal = AppWish.Goal

    @Test(
        "reads what it excludes",
        arguments: [
            ("tell me when I come home without asking for Always", [Goal.regions], true, [AppWish.Constraint.noAlways]),
            ("tell me when I come home, never ask for Always", [.regions], true, [.noAlways]),
            ("without asking for Always tell me when I come home", [.regions], true, [.noAlways]),
            ("visits, but I do not want Always", [.visits], true, [.noAlways]),
            ("visits with only While Using", [.visits], true, [.noAlways]),
            ("visits with When In Use permission", [.visits], true, [.noAlways]),
            ("track my run, no background location", [.path], false, [.noBackground]),
            ("log mileage by itself without Always", [.path], true, [.noAlways]),
            ("know when the user leaves work, not when the app is closed", [.regions], false, [.noBackground]),
            ("show the weather without precise location", [.moves], true, [.noPrecise]),
            ("visits and beacons, but not the route", [.visits, .beacons], true, []),
            ("tell me when I leave work, I don't want visits", [.regions], true, []),
            ("tell me when I come home without any prompt", [.regions], true, [.noRequest]),
            (
                "no Always and no background location, just my current location once", [.once], false,
                [.noAlways, .noBackground]
            ),
            // A word of negation that wants something.
            ("know when the user leaves work, even when the app is not running", [.regions], true, []),
            ("log my run without opening the app", [.path], true, []),
            ("never miss when the user leaves home", [.regions], true, []),
            ("I don't want to miss when my child leaves school", [.regions], true, []),
            ("alert when the beacon of the dog is not near", [.beacons], true, []),
            ("say when the courier is near the house, never Always", [.regions], true, [.noAlways]),
            ("alert me when my child is no longer at school", [.regions], true, []),
            ("alert me when my child is not at school", [.regions], true, []),
            ("say when the van has not moved for an hour", [.visits], true, []),
            ("track my route, not only while the app is open", [.path], true, []),
        ])
    func exclusions(text: String, goals: [Goal], inBackground: Bool, constraints: [AppWish.Constraint]) throws {
        let wish = try #require(AppWish(text))
        #expect(wish.goals == goals)
        #expect(wish.inBackground == inBackground)
        #expect(wish.constraints.sorted() == constraints)
        #expect(wish.ignored.isEmpty)
    }

    @Test("names what it does not understand, and activities") func others() throws {
        #expect(AppWish("visits without roaming charges, iOS 17")?.ignored == ["without roaming charges"])
        #expect(AppWish("visits without roaming charges, iOS 17")?.versions == 17...27)
        let wish = try #require(AppWish("tell me when I pass a shop, not while driving"))
        #expect(wish.goals == [.regions] && wish.activities == ["driving"] && wish.inBackground)
        #expect(Advice(wish).items.contains { $0.part == .limits && $0.text.contains("driving") })
        #expect(AppWish("do not track my route") == nil)
        #expect(AppWish.excludesEverything("do not track my route"))
        #expect(!AppWish.excludesEverything("make no coffee"))
    }

    @Test("never asks for Always where it is excluded, and says what that costs", arguments: AppWish.examples)
    func withoutAlways(text: String) throws {
        let plain = Advice(try #require(AppWish(text)))
        let wish = try #require(AppWish(text + ", without asking for Always"))
        let plan = Advice(wish)
        #expect(wish.goals == plain.wish.goals && wish.inBackground == plain.wish.inBackground)
        #expect(plan.text.contains("without Always"))
        let asks = plan.items.filter { $0.text.contains("requestAlwaysAuthorization()") }
        #expect(asks.count == 1 && asks.allSatisfy { $0.text.hasPrefix("Never call ") })
        #expect(plan.items.allSatisfy { !$0.text.hasPrefix("Always.") && !$0.rules.isEmpty })
        #expect(!plan.items.contains { $0.part == .keys && $0.text.hasPrefix("NSLocationAlways") })
        let needsAlways = plain.items.contains { $0.text.hasPrefix("Always.") }
        #expect(plan.items.contains { $0.text.hasPrefix("Lost without Always") } == needsAlways)
        // What is promised is what the simulator gives an app with While Using.
        var writer = JSONWriter()
        writer.scenarios(of: plan)
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(writer.bytes)
        #expect(diagnostics.isEmpty)
        let scenarios = try #require(file).scenarios
        #expect(scenarios.allSatisfy { $0.device.grant == .whenInUse && ScenarioRunner().run($0).failures == [] })
        if needsAlways {
            #expect(plan.promises.contains { $0.state.lifecycle == .terminated && !$0.isKept })
        }
    }

    @Test("gives a session that has no effect in the answer, with its rule") func idleSession() {
        var device = DeviceState()
        (device.grant, device.lifecycle) = (.whenInUse, .suspended)
        device.sessions = [HeldSession(.backgroundActivitySession)]
        let event = ServiceEvent(.liveUpdates, .update)
        device.services = [ServiceObject(.liveUpdates)]
        let silent = RelaunchGate().decide(event, for: device)
        #expect(silent.outcome == .dropped && silent.rules.contains(.plist12))
        #expect(silent.because.hasSuffix("as the Info.plist does not declare the background mode location (PLIST-12)."))
        #expect(silent.certainty.words == "certain, as Apple documents it")
        device.infoPlist = PropertyKeys(["UIBackgroundModes:location"])
        #expect(!RelaunchGate().decide(event, for: device).because.contains("no effect"))
        device.sessions = []
        #expect(!RelaunchGate().decide(event, for: device).because.contains("no effect"))
    }

    @Test("loses regions without precise locations") func withoutPrecise() throws {
        let plan = Advice(try #require(AppWish("visits and places, without precise location")))
        #expect(plan.promises.filter { $0.service == .regionCircular }.allSatisfy { !$0.isKept })
        #expect(plan.promises.contains { $0.service == .visits && $0.isKept })
        #expect(plan.items.contains { $0.rules.contains(.plist10) && $0.part == .keys })
    }

    @Test("may be one of several") func several() {
        func wishes(_ text: String) -> [[Goal]] { AppWish.wishes(in: text).map(\.goals) }
        #expect(wishes("tell me when I come home") == [[.regions]])
        #expect(wishes("tell me when I come home and also remind me at the shop") == [[.regions]])
        // They agree in everything else, so one plan covers both.
        #expect(wishes("visits; also rough moves") == [[.visits, .moves]])
        #expect(
            wishes("show my current location once on screen, and also log mileage by itself") == [[.once], [.path]])
        #expect(wishes("track my run. Even when the screen is locked.") == [[.path]])
        let shared = AppWish.wishes(
            in: "track my run with the screen locked, and also tell me when I come home, no Always, iOS 17")
        #expect(shared.count == 2 && shared.allSatisfy { $0.constraints == [.noAlways] && $0.versions == 17...27 })
        let divided = AppWish.wishes(in: "show nearby shops, no background location; tell me when I come home, iOS 26")
        #expect(divided.map(\.inBackground) == [false, true] && divided.allSatisfy { $0.versions == 26...27 })
        #expect(AppWish.wishes(in: "make coffee; make tea").isEmpty)
        let plans = shared.map { Advice($0) }
        #expect(Advice.text(of: plans).hasPrefix("Plan 1 of 2\nWanted: path"))
        #expect(Advice.text(of: [plans[0]]) == plans[0].text)
        var writer = JSONWriter()
        writer.scenarios(of: plans)
        let file = ScenarioReader(file: nil).scenarios(writer.bytes).0
        #expect(file?.scenarios.count == plans[0].promises.count + plans[1].promises.count)
    }
}
