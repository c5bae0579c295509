import HTTPTypes

/// The preconditions of a request that changes a resource (rule A6).
struct Precondition: Sendable {
    let ifMatch, ifNoneMatch: String?

    init(_ headers: HTTPFields) {
        ifMatch = headers[.ifMatch]
        ifNoneMatch = headers[.ifNoneMatch]
    }

    /// - Parameter current: tag of the resource; `nil` when it does not exist.
    func check(_ current: EntityTag?) throws(Problem) {
        if let ifMatch, !(current?.isNamed(in: ifMatch, weakly: false) ?? false) { throw .preconditionFailed }
        if let ifNoneMatch, current?.isNamed(in: ifNoneMatch, weakly: true) ?? false { throw .preconditionFailed }
    }
}
