#if !canImport(CoreLocation) || SimulatedCoreLocation
    public import Foundation

    /// The domain of `CLError`.
    public let kCLErrorDomain = "kCLErrorDomain"
    /// The key of the region that the system suggests, in the details of an error. No rule causes it.
    public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

    /// An error of Core Location.
    public struct CLError: CustomNSError, Hashable, Sendable {
        /// What went wrong.
        @nonexhaustive(warn) public enum Code: Int, Sendable, Hashable {
            /// No location for now. The service continues to try.
            case locationUnknown = 0
            /// `denied` is reported without permission, `network` by a geocoder that knows no placemarks. No rule
            /// causes the third.
            case denied, network, headingFailure
            /// The simulation reports the first two. No rule delays the setup.
            case regionMonitoringDenied, regionMonitoringFailure, regionMonitoringSetupDelayed
            /// No rule delays a response of region monitoring.
            case regionMonitoringResponseDelayed
            /// Errors of a geocoder: the first for an unknown place, the last for a cancelled request.
            case geocodeFoundNoResult, geocodeFoundPartialResult, geocodeCanceled
            /// Errors of deferred updates. No rule causes them.
            case deferredFailed, deferredNotUpdatingLocation, deferredAccuracyTooLow, deferredDistanceFiltered
            /// The app ended deferred updates. No rule causes it.
            case deferredCanceled
            /// `promptDeclined` is reported when the user declines a request for full accuracy. No rule causes the
            /// other three.
            case rangingUnavailable, rangingFailure, promptDeclined, historicalLocationError

            /// Matches an error against a code, for `catch CLError.denied`.
            public static func ~= (code: Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
        }

        /// What went wrong.
        public let code: Code

        private let details: [String: any Sendable]

        /// Makes an error.
        ///
        /// - Parameters:
        ///   - code: what went wrong.
        ///   - userInfo: details, such as a text under `NSLocalizedDescriptionKey`.
        public init(_ code: Code, userInfo: [String: any Sendable] = [:]) {
            self.code = code
            details = userInfo
        }

        /// The domain `kCLErrorDomain`.
        public static var errorDomain: String { kCLErrorDomain }
        /// The number of the code.
        public var errorCode: Int { code.rawValue }
        /// The details that the error was made with; the simulation gives none.
        public var errorUserInfo: [String: Any] { details }
        /// The details that the error was made with; the simulation gives none.
        public var userInfo: [String: Any] { errorUserInfo }
        /// A larger region that the system suggests; always `nil` in the simulation.
        public var alternateRegion: CLRegion? { nil }

        /// Errors of the same code are equal.
        public static func == (first: CLError, second: CLError) -> Bool { first.code == second.code }

        /// Hashes the code.
        public func hash(into hasher: inout Hasher) { hasher.combine(code) }

        /// The code `locationUnknown`.
        public static var locationUnknown: Code { .locationUnknown }
        /// The code `denied`.
        public static var denied: Code { .denied }
        /// The code `network`.
        public static var network: Code { .network }
        /// The code `headingFailure`.
        public static var headingFailure: Code { .headingFailure }
        /// The code `regionMonitoringDenied`.
        public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
        /// The code `regionMonitoringFailure`.
        public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
        /// The code `regionMonitoringSetupDelayed`.
        public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
        /// The code `regionMonitoringResponseDelayed`.
        public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
        /// The code `geocodeFoundNoResult`.
        public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
        /// The code `geocodeFoundPartialResult`.
        public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
        /// The code `geocodeCanceled`.
        public static var geocodeCanceled: Code { .geocodeCanceled }
        /// The code `deferredFailed`.
        public static var deferredFailed: Code { .deferredFailed }
        /// The code `deferredNotUpdatingLocation`.
        public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
        /// The code `deferredAccuracyTooLow`.
        public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
        /// The code `deferredDistanceFiltered`.
        public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
        /// The code `deferredCanceled`.
        public static var deferredCanceled: Code { .deferredCanceled }
        /// The code `rangingUnavailable`.
        public static var rangingUnavailable: Code { .rangingUnavailable }
        /// The code `rangingFailure`.
        public static var rangingFailure: Code { .rangingFailure }
        /// The code `promptDeclined`.
        public static var promptDeclined: Code { .promptDeclined }
        /// The code `historicalLocationError`.
        public static var historicalLocationError: Code { .historicalLocationError }
    }

    /// An error of the registration for location pushes.
    public struct CLLocationPushServiceError: CustomNSError, Hashable, Sendable {
        /// What went wrong.
        @nonexhaustive(warn) public enum Code: Int, Sendable, Hashable {
            case unknown = 0
            /// Why the app cannot get location pushes. No rule causes `missingPushServerEnvironment`.
            case missingPushExtension, missingPushServerEnvironment, missingEntitlement, unsupportedPlatform

            /// Matches an error against a code.
            public static func ~= (code: Code, error: any Error) -> Bool {
                (error as? CLLocationPushServiceError)?.code == code
            }
        }

        /// What went wrong.
        public let code: Code

        /// Makes an error.
        public init(_ code: Code) {
            self.code = code
        }

        /// The domain of location push errors.
        public static var errorDomain: String { "CLLocationPushServiceErrorDomain" }
        /// The number of the code.
        public var errorCode: Int { code.rawValue }

        /// The code `unknown`.
        public static var unknown: Code { .unknown }
        /// The code `missingPushExtension`.
        public static var missingPushExtension: Code { .missingPushExtension }
        /// The code `missingPushServerEnvironment`.
        public static var missingPushServerEnvironment: Code { .missingPushServerEnvironment }
        /// The code `missingEntitlement`.
        public static var missingEntitlement: Code { .missingEntitlement }
        /// The code `unsupportedPlatform`.
        public static var unsupportedPlatform: Code { .unsupportedPlatform }
    }
#endif
