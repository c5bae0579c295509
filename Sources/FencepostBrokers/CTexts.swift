#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Texts as C reads them.
enum CTexts {
    /// Calls a function with copies of texts, each with its end, which last as long as the call.
    static func with<Result>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { UnsafePointer($0) })
    }
}
