import CCurl
import Synchronization

/// One HTTP request and what has arrived of its response.
///
/// The task that makes it owns it, and from `add` on the loop's thread alone. The flag is atomic.
final class Transfer: @unchecked Sendable {  // because one thread after the other owns it
    /// Set when the task that waits for the transfer was cancelled.
    let isCancelled = Atomic(false)
    private let request: HTTPClientRequest
    private var headers: [(name: String, value: String)] = []
    private var body: [UInt8] = []
    private var hasHeader = false
    private var hasEnough = false
    private var lists: [UnsafeMutablePointer<curl_slist>?] = []

    init(_ request: HTTPClientRequest) {
        self.request = request
    }

    /// A handle of libcurl with the request; `nil` when the request is not valid.
    func start(authorities: String?) -> UnsafeMutableRawPointer? {
        guard isValid, let handle = curl_easy_init() else { return nil }
        Curl.configure(
            handle, protocols: "http,https", authorities: authorities, connect: request.connect, total: request.total)
        fencepost_curl_set_text(handle, CURLOPT_URL, request.url)
        fencepost_curl_set_number(handle, CURLOPT_PATH_AS_IS, 1)
        fencepost_curl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        if request.isDecompressed {
            fencepost_curl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
        } else {
            fencepost_curl_set_number(handle, CURLOPT_HTTP_CONTENT_DECODING, 0)
        }
        fencepost_curl_set_number(handle, CURLOPT_MAXAGE_CONN, 4)
        setMethod(handle)
        setHeaders(handle)
        switch request.route {
        case .address(let address):
            // Empty host and port: whatever the URL says.
            let route = Curl.list(["::\(address):"])
            lists.append(route)
            fencepost_curl_set_list(handle, CURLOPT_CONNECT_TO, route)
        case .socket(let path): fencepost_curl_set_text(handle, CURLOPT_UNIX_SOCKET_PATH, path)
        case nil: break
        }
        // libcurl keeps an unretained pointer; the loop keeps the transfer until `end`.
        fencepost_curl_set_receivers(
            handle,
            { bytes, size, count, context in
                Transfer.receive(bytes, size * count, context) { $0.takeHeader($1) }
            },
            { bytes, size, count, context in
                Transfer.receive(bytes, size * count, context) { $0.takeBody($1) }
            }, Unmanaged.passUnretained(self).toOpaque())
        return handle
    }

    /// What the transfer gave when it ended with `code`.
    func result(_ code: CURLcode, of handle: UnsafeMutableRawPointer) -> HTTPClientResult {
        let failure = hasEnough ? nil : TransportFailure(code, of: handle)
        let status = Int(fencepost_curl_response_code(handle))
        guard hasHeader, status > 0 else { return HTTPClientResult(failure: failure ?? .reset) }
        return HTTPClientResult(
            response: HTTPClientResponse(status: status, headers: headers, body: body), failure: failure)
    }

    /// Frees the handle.
    func end(_ handle: UnsafeMutableRawPointer) {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }

    /// A line end in a field would start another field.
    private var isValid: Bool {
        func isClean(_ text: String) -> Bool { text.utf8.allSatisfy { $0 != 10 && $0 != 13 && $0 != 0 } }
        return isClean(request.method) && isClean(request.url)
            && request.headers.allSatisfy { isClean($0.name) && isClean($0.value) && !$0.name.isEmpty }
    }

    private func setMethod(_ handle: UnsafeMutableRawPointer) {
        if let body = request.body {
            body.withUnsafeBytes { _ = fencepost_curl_set_bytes(handle, $0.baseAddress, $0.count) }
        } else if request.method == "POST" {
            fencepost_curl_set_bytes(handle, nil, 0)
        }
        switch request.method {
        case "HEAD": fencepost_curl_set_number(handle, CURLOPT_NOBODY, 1)
        case "GET" where request.body == nil: fencepost_curl_set_number(handle, CURLOPT_HTTPGET, 1)
        default: fencepost_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setHeaders(_ handle: UnsafeMutableRawPointer) {
        // A semicolon is a field without value. A name alone removes a field that libcurl adds.
        var lines = request.headers.map { $0.value.isEmpty ? $0.name + ";" : "\($0.name): \($0.value)" }
        let names = Set(request.headers.map { $0.name.lowercased() })
        lines += ["Accept", "Content-Type", "Expect"].filter { !names.contains($0.lowercased()) }.map { $0 + ":" }
        let list = Curl.list(lines)
        lists.append(list)
        fencepost_curl_set_list(handle, CURLOPT_HTTPHEADER, list)
    }

    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        // Another number than `count` ends the transfer.
        return take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    /// Takes a line of a header, its status line and its empty last line included.
    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = String(decoding: bytes, as: UTF8.self).trimmingSuffix(while: \.isNewline)
        if line.hasPrefix("HTTP/") {
            // A header before the last one belongs to an interim response (1xx).
            headers = []
            hasHeader = false
        } else if line.isEmpty {
            hasHeader = true
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append((String(line[..<colon]), String(value)))
        }
        return true
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        body += bytes
        hasEnough = request.isEnough(body)
        return !hasEnough
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> String {
        var end = endIndex
        while end > startIndex, matches(self[index(before: end)]) { end = index(before: end) }
        return String(self[..<end])
    }
}
