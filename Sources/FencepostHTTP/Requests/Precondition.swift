package import HTTPTypes

/// The preconditions of a request that changes a resource (rule A6).
package struct Precondition: Sendable {
    package let ifMatch, ifNoneMatch: String?

    package init(_ headers: HTTPFields) {
        ifMatch = headers[.ifMatch]
        ifNoneMatch = headers[.ifNoneMatch]
    }

    /// Checks both headers against the tag of the resource; `nil` when the resource does not exist.
    ///
    /// - Throws: `preconditionFailed`.
    package func check(_ current: EntityTag?) throws(Problem) {
        if let ifMatch, !(current?.isNamed(in: ifMatch, weakly: false) ?? false) { throw .preconditionFailed }
        if let ifNoneMatch, current?.isNamed(in: ifNoneMatch, weakly: true) ?? false { throw .preconditionFailed }
    }
}
