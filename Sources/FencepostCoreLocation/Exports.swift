// App code imports this module only: it is Core Location itself on Apple's systems, and Core Location's names over a
// simulated device elsewhere.
#if canImport(CoreLocation) && !SimulatedCoreLocation
    @_exported public import CoreLocation
#else
    // Core Location exports Foundation too, so an app's `NSObject` and `Date` need no further import.
    @_exported public import Foundation
#endif
