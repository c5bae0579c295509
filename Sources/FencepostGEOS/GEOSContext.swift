import CGEOS

/// A GEOS call that failed: out of memory, or an argument that GEOS does not accept.
public struct GEOSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C function that failed.
    public let function: String
    /// The error message of GEOS; empty if it gave none.
    public let message: String

    /// The function and the message, for logs.
    public var description: String { message.isEmpty ? "\(function) failed" : "\(function) failed: \(message)" }
}

/// The context that every GEOS call needs. Only one thread at a time may use it and the geometries made with it.
///
/// It is a class because GEOS keeps a pointer to it for error messages. Neither it nor the geometries are `Sendable`,
/// so the compiler confines a context to one thread.
public final class GEOSContext {
    let handle: GEOSContextHandle_t
    private var message = ""

    /// A context of its own; the process ends if there is no memory for it.
    public init() {
        guard let handle = GEOS_init_r() else { fatalError("GEOS_init_r found no memory") }
        self.handle = handle
        // The context is destroyed with this object, so the handler never outlives it.
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

    /// The error to throw after a function has reported a failure.
    func failure(of function: String) -> GEOSError {
        defer { message = "" }
        return GEOSError(function: function, message: message)
    }
}

@available(*, unavailable)
extension GEOSContext: Sendable {}
