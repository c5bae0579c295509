import FencepostHTTP
import FencepostPage
import FencepostService
import HTTPTypes

/// Routes of the map page. Its files are part of the program, or of the folder of `fencepost serve --page`; a request never
/// names a file on disk (rule L3).
extension API {
    var pageRoutes: [Route] {
        [
            Route(
                method: .get, path: "/", name: "getPage", summary: "The map page", tag: "System", access: .open,
                traffic: .exempt, rejectsOtherParameters: false,
                successes: [Route.Success(status: .ok, type: "text/html", schema: Schema.string, text: "A page.")],
                partition: .configuration,
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
                partition: .configuration,
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
    private static let preloads = preloads(of: PageFile.all.map(\.path).filter { $0.hasSuffix(".js") })

    private static func preloads(of modules: [String]) -> String {
        modules.map { "<link rel=\"modulepreload\" href=\"page/\($0)\">" }.joined(separator: "\n")
    }

    private let index: File?
    private let share: File?
    private let policy: String
    /// Files that are read at each request, instead of those of the program; `nil` for none.
    private let folder: PageFolder?
    /// The values of the placeholders in the HTML files, besides the modules.
    private let values: [(name: String, text: String)]

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
    ///   - folder: files that are read at each request, instead of those of the program; `nil` for none.
    init(_ tiles: PageTiles, choice: Choice, geocoder: String?, folder: PageFolder?) {
        self.folder = folder
        let values = [
            ("tiles", tiles.pattern.escapedForHTML), ("attribution", tiles.attribution.escapedForHTML),
            ("terms", tiles.terms), ("tileKind", tiles.kind), ("choice", choice.rawValue),
            ("policy", MapTiles.openStreetMapPolicy), ("geocoder", geocoder == nil ? "" : "on"),
            ("geocoderAttribution", (geocoder ?? "").escapedForHTML),
            ("zooms", "\(tiles.zooms.lowerBound)-\(tiles.zooms.upperBound)"),
        ]
        self.values = values
        index = PageFile.named("index.html").map { Page.filled($0, values, Page.preloads) }
        share = PageFile.named("share.html").map { Page.filled($0, values, Page.preloads) }
        // Leaflet replaces a removed tile by an image in a data URL.
        let images = tiles.pattern.isEmpty ? "" : " data:" + (tiles.origin.map { " " + $0 } ?? "")
        policy =
            "default-src 'self'; img-src 'self'\(images); object-src 'none'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }

    /// An HTML file with its values.
    private static func filled(_ file: PageFile, _ values: [(name: String, text: String)], _ preloads: String) -> File {
        let text = (values + [("modules", preloads)]).reduce(file.text) { text, value in
            text.replacing("{{\(value.name)}}", with: value.text)
        }
        return File(type: file.contentType, bytes: Array(text.utf8))
    }

    /// - Returns: `nil` when the file does not exist.
    func response(to call: Call) -> RouteResponse? {
        let name = call.parameter("folder")
        guard name.isEmpty else { return response(to: call, at: "\(name)/\(call.parameter("file"))") }
        return folder.map { response(from: $0, at: "index.html") } ?? response(to: call, with: index)
    }

    /// The page of share links.
    func shareResponse(to call: Call) -> RouteResponse? {
        folder.map { response(from: $0, at: "share.html") } ?? response(to: call, with: share)
    }

    private func response(to call: Call, at path: String) -> RouteResponse? {
        folder.map { response(from: $0, at: path) } ?? response(to: call, with: Page.files[path])
    }

    /// A file as it is now, which the browser never keeps.
    private func response(from folder: PageFolder, at path: String) -> RouteResponse? {
        guard let found = folder.file(path) else { return nil }
        let isPage = path.hasSuffix(".html")
        let file = isPage ? Page.filled(found, values, Page.preloads(of: folder.modules)) : nil
        return RouteResponse(
            .ok,
            headers: [.contentType: found.contentType, .contentSecurityPolicy: policy, .cacheControl: "no-store"],
            body: .bytes(file?.plain.bytes ?? found.bytes))
    }

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
    fileprivate static let vary = HTTPField.Name(literal: "Vary")
}
