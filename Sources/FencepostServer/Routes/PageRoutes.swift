import FencepostPage
import FencepostService
import HTTPTypes

/// Routes of the map page. Its files are part of the program; a request never names a file on disk (rule L3).
extension API {
    var pageRoutes: [Route] {
        [
            Route(
                method: .get, path: "/", name: "getPage", summary: "The map page", tag: "System", access: .open,
                traffic: .exempt, rejectsOtherParameters: false,
                successes: [Route.Success(status: .ok, type: "text/html", schema: Schema.string, text: "A page.")],
                handle: { call in map.page.response(to: call) ?? RouteResponse(.notFound) }),
            Route(
                method: .get, path: "/page/{folder}/{file}", name: "getPageFile",
                summary: "A file of the map page: style sheet, module or data", tag: "System", access: .open,
                traffic: .exempt, parameters: [.name("folder"), .name("file")], rejectsOtherParameters: false,
                successes: [
                    "text/css", "text/javascript", "image/svg+xml", "application/vnd.fencepost.basemap",
                ].map {
                    Route.Success(status: .ok, type: $0, schema: Schema.string, text: "The file, with an ETag.")
                },
                failures: [.notFound],
                handle: { call in
                    guard let response = map.page.response(to: call) else { throw Problem.notFound("file") }
                    return response
                }),
        ]
    }
}

extension Route.Parameter {
    fileprivate static func name(_ name: String) -> Route.Parameter {
        Route.Parameter(
            name: name, source: .path, isRequired: true, schema: Schema.string, text: "Part of the file name.")
    }
}

/// The files of the map page, plain and compressed.
struct Page: Sendable {
    private struct Encoding {
        let bytes: [UInt8]
        let tag: EntityTag

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            tag = EntityTag(of: bytes)
        }
    }

    private struct File {
        let type: String
        let plain: Encoding
        let compressed: Encoding?

        init(type: String, bytes: [UInt8]) {
            self.type = type
            plain = Encoding(bytes)
            compressed = Deflater.gzip(bytes).map(Encoding.init)
        }
    }

    /// Files that do not depend on the settings.
    private static let files = Dictionary(
        PageFile.all.map { ($0.path, File(type: $0.contentType, bytes: $0.bytes)) },
        uniquingKeysWith: { first, _ in first })

    /// Preload links for all modules, so that the browser loads them in parallel.
    private static let preloads = PageFile.all.filter { $0.path.hasSuffix(".js") }
        .map { "<link rel=\"modulepreload\" href=\"page/\($0.path)\">" }.joined(separator: "\n")

    private let index: File?
    private let share: File?
    private let policy: String

    /// Who has chosen the tiles.
    enum Choice: String {
        /// Nobody yet: the page asks administrators.
        case open
        /// An administrator, who may choose others.
        case made
        /// The configuration.
        case configured
    }

    /// - Parameters:
    ///   - tiles: the tiles below the page's layers.
    ///   - choice: who has chosen them.
    ///   - geocoder: the attribution of the geocoder; `nil` without one.
    init(_ tiles: PageTiles, choice: Choice, geocoder: String?) {
        func fill(_ file: PageFile) -> File {
            let text = file.text.replacing("{{tiles}}", with: tiles.pattern.escapedForHTML)
                .replacing("{{attribution}}", with: tiles.attribution.escapedForHTML)
                .replacing("{{terms}}", with: tiles.terms).replacing("{{tileKind}}", with: tiles.kind)
                .replacing("{{choice}}", with: choice.rawValue)
                .replacing("{{policy}}", with: MapTiles.openStreetMapPolicy)
                .replacing("{{geocoder}}", with: geocoder == nil ? "" : "on")
                .replacing("{{geocoderAttribution}}", with: (geocoder ?? "").escapedForHTML)
                .replacing("{{zooms}}", with: "\(tiles.zooms.lowerBound)-\(tiles.zooms.upperBound)")
                .replacing("{{modules}}", with: Page.preloads)
            return File(type: file.contentType, bytes: Array(text.utf8))
        }
        index = PageFile.named("index.html").map(fill)
        share = PageFile.named("share.html").map(fill)
        // Leaflet replaces a removed tile by an image in a data URL.
        let images = tiles.pattern.isEmpty ? "" : " data:" + (tiles.origin.map { " " + $0 } ?? "")
        policy =
            "default-src 'self'; img-src 'self'\(images); object-src 'none'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }

    /// - Returns: `nil` when the file does not exist.
    func response(to call: Call) -> RouteResponse? {
        let folder = call.parameter("folder")
        return response(to: call, with: folder.isEmpty ? index : Page.files["\(folder)/\(call.parameter("file"))"])
    }

    /// The page of share links.
    func shareResponse(to call: Call) -> RouteResponse? { response(to: call, with: share) }

    private func response(to call: Call, with file: File?) -> RouteResponse? {
        guard let file else { return nil }
        let compressed = call.acceptsGzip ? file.compressed : nil
        let encoding = compressed ?? file.plain
        var headers: HTTPFields = [
            .contentType: file.type, .eTag: encoding.tag.description, .contentSecurityPolicy: policy,
            // The browser revalidates each file, so page and modules always come from the same program version.
            .cacheControl: "no-cache",
        ]
        if file.compressed != nil { headers[.vary] = "Accept-Encoding" }
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        if let field = call.headers[.ifNoneMatch], encoding.tag.isNamed(in: field, weakly: true) {
            headers[.contentEncoding] = nil
            return RouteResponse(.notModified, headers: headers)
        }
        return RouteResponse(.ok, headers: headers, body: .bytes(encoding.bytes))
    }
}

extension Call {
    /// Whether `Accept-Encoding` names gzip without a quality of 0 (RFC 9110, 12.5.3).
    fileprivate var acceptsGzip: Bool {
        headers[.acceptEncoding]?.split(separator: ",").contains { part in
            let words = part.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            return words.first == "gzip" && !words.dropFirst().contains { $0.wholeMatch(of: /q=0(\.0*)?/) != nil }
        } ?? false
    }
}

extension String {
    fileprivate var escapedForHTML: String {
        replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
    }
}

extension HTTPField.Name {
    fileprivate static let vary = HTTPField.Name("Vary") ?? .via
}
