// One import for app code: Core Location itself on Apple's systems, its names over a simulated device elsewhere.
#if canImport(CoreLocation)
    @_exported public import CoreLocation
#else
    // As Core Location does, so that an app's `NSObject` and `Date` need no further import.
    @_exported public import Foundation
#endif
