#if !canImport(CoreLocation)
    public import Foundation

    /// What Core Location reports as gone wrong.
    public struct CLError: CustomNSError, Hashable, Sendable {
        @nonexhaustive(warn) public enum Code: Int, Sendable, Hashable {
            /// For now; the service goes on trying.
            case locationUnknown = 0
            case denied, network, headingFailure
            case regionMonitoringDenied, regionMonitoringFailure, regionMonitoringSetupDelayed
            case regionMonitoringResponseDelayed
            case geocodeFoundNoResult, geocodeFoundPartialResult, geocodeCanceled
            case deferredFailed, deferredNotUpdatingLocation, deferredAccuracyTooLow, deferredDistanceFiltered
            case deferredCanceled
            case rangingUnavailable, rangingFailure, promptDeclined, historicalLocationError

            public static func ~= (code: Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
        }

        public let code: Code

        public init(_ code: Code) {
            self.code = code
        }

        public static var errorDomain: String { kCLErrorDomain }
        public var errorCode: Int { code.rawValue }
        public var errorUserInfo: [String: Any] { [:] }
        public var userInfo: [String: Any] { errorUserInfo }

        public static var locationUnknown: Code { .locationUnknown }
        public static var denied: Code { .denied }
        public static var network: Code { .network }
        public static var headingFailure: Code { .headingFailure }
        public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
        public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
        public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
        public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
        public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
        public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
        public static var geocodeCanceled: Code { .geocodeCanceled }
        public static var deferredFailed: Code { .deferredFailed }
        public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
        public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
        public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
        public static var deferredCanceled: Code { .deferredCanceled }
        public static var rangingUnavailable: Code { .rangingUnavailable }
        public static var rangingFailure: Code { .rangingFailure }
        public static var promptDeclined: Code { .promptDeclined }
        public static var historicalLocationError: Code { .historicalLocationError }
    }

    /// Why location pushes cannot be had.
    public struct CLLocationPushServiceError: CustomNSError, Hashable, Sendable {
        @nonexhaustive(warn) public enum Code: Int, Sendable, Hashable {
            case unknown = 0
            case missingPushExtension, missingPushServerEnvironment, missingEntitlement, unsupportedPlatform

            public static func ~= (code: Code, error: any Error) -> Bool {
                (error as? CLLocationPushServiceError)?.code == code
            }
        }

        public let code: Code

        public init(_ code: Code) {
            self.code = code
        }

        public static var errorDomain: String { "CLLocationPushServiceErrorDomain" }
        public var errorCode: Int { code.rawValue }

        public static var unknown: Code { .unknown }
        public static var missingPushExtension: Code { .missingPushExtension }
        public static var missingPushServerEnvironment: Code { .missingPushServerEnvironment }
        public static var missingEntitlement: Code { .missingEntitlement }
        public static var unsupportedPlatform: Code { .unsupportedPlatform }
    }
#endif
