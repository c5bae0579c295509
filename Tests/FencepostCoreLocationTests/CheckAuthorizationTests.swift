import FencepostCoreLocation
import FencepostSimulator
import Testing

@MainActor @Suite("Checking the authorization") struct CheckAuthorizationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var grant: Grant
        var status: AuthorizationStatus
        var testDescription: String { grant.rawValue }
    }

    @Test(
        "runs the action, asks, or offers Settings",
        arguments: [
            Case(grant: .notDetermined, status: .notYet), Case(grant: .restricted, status: .needAuthorization),
            Case(grant: .denied, status: .needAuthorization), Case(grant: .whenInUse, status: .hasAuthorization),
            Case(grant: .temporaryWhenInUse, status: .notYet),
            Case(grant: .provisionalAlways, status: .hasAuthorization),
            Case(grant: .always, status: .hasAuthorization),
        ])
    func checks(_ example: Case) throws {
        let device = SimulatedDevice(.iPhone(example.grant))
        let permission = try #require(device.launch { LocationAuthorizationManager() })
        var ran = 0
        var alerts: [AuthorizationAlert] = []
        let status = device.run {
            permission.checkAuthorization(offer: { alerts.append($0) }, action: { ran += 1 })
        }
        // Allow Once has ended at the launch.
        #expect(status == example.status)
        #expect(ran == (example.status == .hasAuthorization ? 1 : 0))
        #expect((device.prompt?.kind == .first) == (example.status == .notYet))
        #expect(alerts.map(\.buttons) == (example.status == .needAuthorization ? [[.settings, .cancel]] : []))
        #expect(alerts.first?.canSettingsHelp == (alerts.isEmpty ? nil : example.grant != .restricted))
    }

    @Test("reports the answer, and the app checks again")
    func reportsAnswer() throws {
        let device = SimulatedDevice(.iPhone())
        let permission = try #require(device.launch { LocationAuthorizationManager(.always) })
        var received: [AuthorizationStatus] = []
        permission.onChange = { received.append($0) }
        device.run { _ = permission.checkAuthorization(offer: { _ in }, action: {}) }
        device.answer(.allowWhileUsing)
        #expect(received == [.hasAuthorization])
        #expect(device.grant == .provisionalAlways)
        device.change(.locationServicesOff)
        #expect(received == [.hasAuthorization, .needAuthorization])
    }
}
