import FencepostHTTP
import Foundation
import HTTPTypes

/// Recognises requests that a browser sends on behalf of another site (CSRF).
///
/// A browser adds a session's cookie to such a request. It also says where the request comes from, in headers that
/// scripts cannot set: `Sec-Fetch-Site` (W3C Fetch Metadata), and `Origin` (RFC 6454) in older browsers and without
/// TLS. A request without both comes from another program, which no site can make send a cookie.
enum CrossOrigin {
    /// Refuses a change that another site makes the browser of a signed-in user ask for. The route that signs in is
    /// among them: a stranger must not sign somebody in as himself.
    static func check(
        _ call: Call, _ access: Access, _ authority: String?, _ proxies: TrustedProxies
    ) throws(Problem) {
        guard call.method != .get, access == .open || SessionCookie.secret(in: call.headers) != nil else { return }
        let host = proxies.host(call.headers, peer: call.address, authority: authority)
        guard isForeign(call.headers, host: host) else { return }
        throw .forbidden("cross_origin", "The request comes from the page of another site.")
    }

    /// Whether a request that changes something comes from another origin than the page of the service.
    ///
    /// - Parameters:
    ///   - headers: the headers of the request.
    ///   - host: host and port that the client asked for.
    /// - Returns: `false` for the service's own page, and for programs other than browsers.
    static func isForeign(_ headers: HTTPFields, host: String?) -> Bool {
        if let site = headers[.secFetchSite] { return site != "same-origin" && site != "none" }
        guard let origin = headers[.origin] else { return false }
        guard let host, let separator = origin.range(of: "://") else { return true }
        return origin[separator.upperBound...].lowercased() != host.lowercased()
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name(literal: "Sec-Fetch-Site")
}
