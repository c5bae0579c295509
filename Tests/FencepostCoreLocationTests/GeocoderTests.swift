import FencepostCoreLocation
import FencepostSimulator
import Testing

/// An app that shows the street of its location.
private final class StreetApp: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    let geocoder = CLGeocoder()
    private(set) var lines: [String] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func show() { manager.requestLocation() }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        geocoder.reverseGeocodeLocation(locations[0]) { [weak self] placemarks, error in
            if let placemark = placemarks?.first, error == nil {
                let parts = [placemark.thoroughfare, placemark.subThoroughfare, placemark.locality, placemark.country]
                self?.lines.append(parts.compactMap { $0 }.joined(separator: " "))
            } else {
                self?.lines.append("error \((error as? CLError)?.code.rawValue ?? -1)")
            }
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}

/// Requests to the geocoder, answered from what the test knows.
@Suite("A geocoder") struct GeocoderTests {
    private let alexanderplatz: CLPlacemark = {
        var details = CLPlacemark.Details()
        (details.name, details.thoroughfare, details.subThoroughfare) = ("Park Inn", "Alexanderplatz", "7")
        (details.locality, details.country, details.isoCountryCode) = ("Berlin", "Germany", "DE")
        return CLPlacemark(location: CLLocation(latitude: 52.5219, longitude: 13.4132), details: details)
    }()

    @Test("finds a known place, says that there is none, or fails as without a network")
    func reverse() throws {
        let (device, app) = try open(.iPhone(.whenInUse)) { StreetApp() }
        device.run { app.show() }
        device.wait(.seconds(20))
        #expect(app.lines == ["error \(CLError.Code.network.rawValue)"])

        device.setPlacemarks([alexanderplatz])
        device.run { app.show() }
        device.wait(.seconds(20))
        #expect(app.lines.last == "Alexanderplatz 7 Berlin Germany")

        device.place(at: Berlin.north(5000))
        device.run { app.show() }
        device.wait(.seconds(20))
        #expect(app.lines.last == "error \(CLError.Code.geocodeFoundNoResult.rawValue)")
        #expect(!app.geocoder.isGeocoding)
    }

    @Test("cancels a request, also by a second one")
    func cancels() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        device.setPlacemarks([alexanderplatz])
        let app = try #require(device.launch { StreetApp() })
        var answers: [String] = []
        let note = { (placemarks: [CLPlacemark]?, error: (any Error)?) in
            answers.append(placemarks?.first?.name ?? "error \((error as? CLError)?.code.rawValue ?? -1)")
        }
        device.run {
            app.geocoder.geocodeAddressString("7 Alexanderplatz, Berlin", completionHandler: note)
            #expect(app.geocoder.isGeocoding)
            app.geocoder.geocodeAddressString("Park Inn", completionHandler: note)
        }
        #expect(answers == ["error \(CLError.Code.geocodeCanceled.rawValue)", "Park Inn"])
        device.run {
            app.geocoder.geocodeAddressString("Berlin", completionHandler: note)
            app.geocoder.cancelGeocode()
        }
        #expect(answers.last == "error \(CLError.Code.geocodeCanceled.rawValue)")
    }

    @MainActor @Test("answers async code")
    func answersAsync() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        device.setPlacemarks([alexanderplatz])
        let app = try #require(device.launch { StreetApp() })
        let task = device.run {
            Task { @MainActor in
                let found = try await app.geocoder.geocodeAddressString("alexanderplatz")
                return try await app.geocoder.reverseGeocodeLocation(try #require(found.first?.location))
            }
        }
        await device.settle()
        await device.settle()
        let placemarks = try await task.value
        #expect(placemarks.map(\.name) == ["Park Inn"])
        #expect(placemarks.first?.isoCountryCode == "DE")
    }
}
