import FencepostCoreLocation
import FencepostSimulator
import Testing

@MainActor @Suite("An app that asks for location") struct AuthorizationTests {
    @Test("receives its status when it starts, and the answer to its first prompt")
    func firstPrompt() throws {
        let device = SimulatedDevice(.iPhone())
        let app = try #require(device.launch { GeofenceApp() })
        #expect(app.received == ["status 0"])

        device.run { app.askWhenInUse() }
        #expect(device.prompt?.kind == .first)
        #expect(device.prompt?.buttons == [.allowOnce, .allowWhileUsing, .dontAllow])
        #expect(app.received == ["status 0"])

        #expect(device.answer(.allowWhileUsing))
        #expect(device.prompt == nil)
        #expect(app.received == ["status 0", "status 4"])
        #expect(!device.answer(.allowWhileUsing), "no prompt is left to answer")
    }

    @Test("gets Always by an upgrade once, and no callback where the status stays")
    func upgrade() throws {
        let kept = SimulatedDevice(.iPhone(.whenInUse))
        let app = try #require(kept.launch { GeofenceApp() })
        kept.run { app.askAlways() }
        #expect(kept.prompt?.kind == .upgrade)
        kept.answer(.keepOnlyWhileUsing)
        #expect(app.received == ["status 4"])
        kept.run { app.askAlways() }
        #expect(kept.prompt == nil)
        #expect(kept.lastReport.rules.contains(.auth18))

        let changed = SimulatedDevice(.iPhone(.whenInUse))
        let other = try #require(changed.launch { GeofenceApp() })
        changed.run { other.askAlways() }
        changed.answer(.changeToAlwaysAllow)
        #expect(other.received == ["status 4", "status 3"])
        #expect(changed.grant == .always)
    }

    @Test("gets no prompt without its purpose string, and the device names the missing key")
    func missingKey() throws {
        var state = DeviceState.iPhone()
        state.infoPlist = PropertyKeys()
        let device = SimulatedDevice(state)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.askWhenInUse() }
        #expect(device.prompt == nil)
        #expect(device.lastReport.rules.contains(.auth01))
        #expect(device.lastReport.notes.contains { $0.contains("NSLocationWhenInUseUsageDescription") })
        #expect(app.received == ["status 0"])
    }

    @Test("loses Allow Once after some time in the background, and is notified when it returns")
    func allowOnce() throws {
        let device = SimulatedDevice(.iPhone())
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.askWhenInUse() }
        device.answer(.allowOnce)
        device.enterBackground()
        device.wait(.seconds(5))
        device.enterForeground()
        #expect(app.received == ["status 0", "status 4"])

        device.enterBackground()
        device.wait(.seconds(60))
        #expect(device.grant == .notDetermined)
        #expect(app.received == ["status 0", "status 4"], "a suspended app receives no callback")
        device.enterForeground()
        #expect(app.received == ["status 0", "status 4", "status 0"])
    }

    @Test("is notified of Settings on every manager, and of Location Services as a denial")
    func settings() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let pair = try #require(device.launch { Pair(GeofenceApp(), GeofenceApp()) })
        device.change(.always)
        #expect([pair.first.received, pair.second.received] == [["status 4", "status 3"], ["status 4", "status 3"]])
        device.run { pair.first.track() }
        device.change(.locationServicesOff)
        #expect(pair.first.received.suffix(2) == ["status 2", "denied"])
        #expect(pair.second.received.last == "status 2")
        device.change(.locationServicesOn)
        #expect(pair.first.received.suffix(2) == ["status 3", "at ±5"])
    }

    @Test("gets one location or one error for a request")
    func requestLocation() throws {
        let device = SimulatedDevice(.iPhone(), at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.locateOnce() }
        #expect(app.received == ["status 0"])
        device.run { app.askWhenInUse() }
        device.answer(.allowWhileUsing)
        device.move(to: Berlin.north(100))
        #expect(app.received == ["status 0", "status 4", "at ±5"])
        device.change(.never)
        device.run { app.locateOnce() }
        #expect(app.received.suffix(2) == ["status 2", "denied"])
    }

    @Test("knows only an area with reduced accuracy, until it is given full accuracy for a while")
    func reducedAccuracy() throws {
        let device = SimulatedDevice(.iPhone(), at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.askWhenInUse() }
        device.answer(.allowWhileUsing, precise: false)
        #expect(app.received.last == "status 4 reduced")
        let area = try #require(app.position)
        let office = CLLocation(latitude: Berlin.office.latitude, longitude: Berlin.office.longitude)
        #expect(area.distance(from: office) <= area.horizontalAccuracy)
        #expect(area.distance(from: office) > 5)

        device.run { app.askPrecisely() }
        #expect(device.prompt?.kind == .temporaryFullAccuracy)
        device.answer(.allowOnce)
        #expect(Set(app.received.suffix(2)) == ["precise: answered", "status 4"])
        #expect(try #require(app.position).distance(from: office) == 0)

        device.run { app.askPrecisely() }
        #expect(app.received.last == "precise: 18")
    }

    @Test(
        "gets an area that contains the true place, anywhere on Earth",
        arguments: [-89.2, -60, 0, 45, 89.2])
    func areas(latitude: Double) throws {
        var state = DeviceState.iPhone(.whenInUse)
        state.accuracy = .reduced
        for longitude in stride(from: -180.0, through: 180, by: 0.61) {
            let location = CLLocation(latitude: latitude + longitude / 2000, longitude: longitude)
            let device = SimulatedDevice(state, at: location.coordinate)
            let app = try #require(device.launch { GeofenceApp() })
            let reported = try #require(app.position)
            #expect(reported.distance(from: location) <= reported.horizontalAccuracy, "\(location)")
            #expect(reported.distance(from: location) > 0)
        }
    }

    @Test("crashes when it wants background updates that it does not declare")
    func crash() throws {
        var state = DeviceState.iPhone(.whenInUse)
        state.infoPlist = PropertyKeys(["NSLocationWhenInUseUsageDescription"])
        let device = SimulatedDevice(state)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.trackInBackground() }
        #expect(device.crash?.rule == .svc16)
        #expect(device.lifecycle == .terminated)
        #expect(device.app(as: GeofenceApp.self) == nil)
    }

    private final class Pair {
        let first, second: GeofenceApp
        init(_ first: GeofenceApp, _ second: GeofenceApp) { (self.first, self.second) = (first, second) }
    }
}
