#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    public import Foundation

    /// Receives the answer of a geocoder: placemarks, or the error.
    public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

    /// Finds the names of a position, and the position of an address, among the placemarks that the test gave to
    /// `SimulatedDevice.setPlacemarks`. Without any, every request fails with `network`, as on a phone without one.
    ///
    /// Apple has deprecated it since iOS 26 in favour of MapKit (SVC-23).
    @available(iOS, deprecated: 26.0, message: "Use MapKit.")
    @available(macOS, deprecated: 26.0, message: "Use MapKit.")
    open class CLGeocoder: NSObject {
        private let core: DeviceCore
        private let process: Int
        private var request = 0
        /// The number of the request that waits for its answer.
        private var waiting: Int?

        /// Makes a geocoder.
        public override init() {
            core = DeviceCore.forApp()
            process = core.read { $0.process }
        }

        /// Whether a request waits for its answer.
        open var isGeocoding: Bool { waiting != nil }

        /// Ends the request; its handler receives `geocodeCanceled`.
        open func cancelGeocode() { waiting = nil }

        /// Finds the placemarks at a position. The handler is called within the test's next call of the device.
        open func reverseGeocodeLocation(
            _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
        ) {
            let position = location.coordinate.coordinate
            answer(completionHandler) { $0.placemarks(at: position) }
        }

        /// Finds the placemarks at a position. The language makes no difference in the simulation.
        open func reverseGeocodeLocation(
            _ location: CLLocation, preferredLocale locale: Locale?,
            completionHandler: @escaping CLGeocodeCompletionHandler
        ) {
            reverseGeocodeLocation(location, completionHandler: completionHandler)
        }

        /// Finds the placemarks of an address: those with all words of it.
        open func geocodeAddressString(
            _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
        ) {
            answer(completionHandler) { $0.placemarks(named: addressString) }
        }

        /// Finds the placemarks of an address. The region makes no difference in the simulation.
        open func geocodeAddressString(
            _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
        ) {
            geocodeAddressString(addressString, completionHandler: completionHandler)
        }

        /// Finds the placemarks of an address. Region and language make no difference in the simulation.
        open func geocodeAddressString(
            _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
            completionHandler: @escaping CLGeocodeCompletionHandler
        ) {
            geocodeAddressString(addressString, completionHandler: completionHandler)
        }

        /// Finds the placemarks at a position.
        ///
        /// - Parameters:
        ///   - location: the position.
        ///   - locale: the language, which makes no difference in the simulation.
        /// - Returns: at least one placemark.
        /// - Throws: `CLError` with `geocodeFoundNoResult`, `geocodeCanceled` or `network`.
        open nonisolated(nonsending) func reverseGeocodeLocation(
            _ location: CLLocation, preferredLocale locale: Locale? = nil
        ) async throws -> [CLPlacemark] {
            let position = location.coordinate.coordinate
            return try await answer { $0.placemarks(at: position) }
        }

        /// Finds the placemarks of an address.
        ///
        /// - Parameters:
        ///   - addressString: the address.
        ///   - region: where to look first, which makes no difference in the simulation.
        ///   - locale: the language, which makes no difference in the simulation.
        /// - Returns: at least one placemark.
        /// - Throws: `CLError` with `geocodeFoundNoResult`, `geocodeCanceled` or `network`.
        open nonisolated(nonsending) func geocodeAddressString(
            _ addressString: String, in region: CLRegion? = nil, preferredLocale locale: Locale? = nil
        ) async throws -> [CLPlacemark] {
            try await answer { $0.placemarks(named: addressString) }
        }

        private nonisolated(nonsending) func answer(
            _ find: @escaping @Sendable (SimulatedState) -> Result<[CLPlacemark], CLError>
        ) async throws -> [CLPlacemark] {
            try await withCheckedThrowingContinuation { continuation in
                let isAlive = answer(
                    { placemarks, error in
                        if let placemarks {
                            continuation.resume(returning: placemarks)
                        } else {
                            continuation.resume(throwing: error ?? CLError(.network))
                        }
                    }, find)
                // A process that has ended would never receive the answer.
                if !isAlive { continuation.resume(throwing: CLError(.geocodeCanceled)) }
            }
        }

        /// Calls the handler after the app's code has run. A second request before the answer cancels the first, as the
        /// geocoder has one at a time.
        ///
        /// - Parameters:
        ///   - handler: receives the answer.
        ///   - find: finds the placemarks.
        /// - Returns: whether the process of the app still runs; otherwise the handler is never called.
        @discardableResult private func answer(
            _ handler: @escaping CLGeocodeCompletionHandler,
            _ find: @escaping @Sendable (SimulatedState) -> Result<[CLPlacemark], CLError>
        ) -> Bool {
            request += 1
            let number = request
            waiting = number
            let reply = AppReply { [self] in
                guard waiting == number else { return handler(nil, CLError(.geocodeCanceled)) }
                waiting = nil
                switch core.read(find) {
                case .success(let placemarks): handler(placemarks, nil)
                case .failure(let error): handler(nil, error)
                }
            }
            let isAlive: Void? = core.app(process) { $0.replies.append(reply) }
            if isAlive == nil { waiting = nil }
            return isAlive != nil
        }
    }

    extension SimulatedState {
        /// The known placemarks within a kilometre of a position, the nearest first.
        func placemarks(at position: Coordinate) -> Result<[CLPlacemark], CLError> {
            func distance(_ placemark: CLPlacemark) -> Double {
                placemark.location.map { Geodesic.distance($0.coordinate.coordinate, position) } ?? .infinity
            }
            return result(placemarks.filter { distance($0) <= 1000 }.sorted { distance($0) < distance($1) })
        }

        /// The known placemarks that have every word of an address.
        func placemarks(named address: String) -> Result<[CLPlacemark], CLError> {
            let words = address.lowercased().split { !$0.isLetter && !$0.isNumber }
            return result(
                placemarks.filter { placemark in
                    let known = placemark.details.parts.joined(separator: " ").lowercased()
                    return !words.isEmpty && words.allSatisfy { known.contains($0) }
                })
        }

        private func result(_ found: [CLPlacemark]) -> Result<[CLPlacemark], CLError> {
            if placemarks.isEmpty { return .failure(CLError(.network)) }
            return found.isEmpty ? .failure(CLError(.geocodeFoundNoResult)) : .success(found)
        }
    }
#endif
