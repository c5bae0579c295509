import CGEOS

/// A call that GEOS could not carry out: it ran out of memory, or was given what it cannot take.
public struct GEOSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C function that failed.
    public let function: String
    /// What GEOS said of it; empty when it said nothing.
    public let message: String

    public var description: String { message.isEmpty ? "\(function) failed" : "\(function) failed: \(message)" }
}

/// The state that every call to GEOS needs; one thread at a time may use it, and what was made with it.
///
/// A class, since GEOS keeps a pointer to it for its error messages. It is not `Sendable`, and neither is what is made
/// with it: so the compiler keeps a context within one thread.
public final class GEOSContext {
    let handle: GEOSContextHandle_t
    private var message = ""

    public init() {
        guard let handle = GEOS_init_r() else { fatalError("GEOS_init_r found no memory") }
        self.handle = handle
        // The handler outlives no one: the context is destroyed with this object.
        _ = GEOSContext_setErrorMessageHandler_r(
            handle,
            { text, context in
                guard let text, let context else { return }
                Unmanaged<GEOSContext>.fromOpaque(context).takeUnretainedValue().message = String(cString: text)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        GEOS_finish_r(handle)
    }

    /// The error to throw when a function has just said that it failed.
    func failure(of function: String) -> GEOSError {
        defer { message = "" }
        return GEOSError(function: function, message: message)
    }
}

@available(*, unavailable)
extension GEOSContext: Sendable {}
