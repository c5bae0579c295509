import FencepostPage
import FencepostService
import HTTPTypes

/// The map page, out of the program itself: no path of a request ever names a file on disk (rule L3).
extension API {
    var pageRoutes: [Route] {
        [
            Route(
                method: .get, path: "/", name: "getPage", summary: "The map page", tag: "System", access: .open,
                traffic: .exempt, refusesOtherParameters: false,
                successes: [Route.Success(status: .ok, type: "text/html", schema: Schema.string, text: "A page.")],
                handle: { call in page.answer(to: call) ?? Answer(.notFound) }),
            Route(
                method: .get, path: "/page/{folder}/{file}", name: "getPageFile",
                summary: "A style sheet, a module or the data of the map page", tag: "System", access: .open,
                traffic: .exempt, parameters: [.name("folder"), .name("file")], refusesOtherParameters: false,
                successes: [
                    "text/css", "text/javascript", "image/svg+xml", "application/vnd.fencepost.basemap",
                ].map {
                    Route.Success(status: .ok, type: $0, schema: Schema.string, text: "The file, with an ETag.")
                },
                failures: [.notFound],
                handle: { call in
                    guard let answer = page.answer(to: call) else { throw Problem.notFound("file") }
                    return answer
                }),
        ]
    }
}

extension Route.Parameter {
    fileprivate static func name(_ name: String) -> Route.Parameter {
        Route.Parameter(name: name, place: .path, isRequired: true, schema: Schema.string, text: "Part of its name.")
    }
}

/// The files of the page as they are sent, plain and packed.
struct Page: Sendable {
    private struct Form {
        let bytes: [UInt8]
        let tag: EntityTag

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            tag = EntityTag(of: bytes)
        }
    }

    private struct File {
        let type: String
        let plain: Form
        let packed: Form?

        init(type: String, bytes: [UInt8]) {
            self.type = type
            plain = Form(bytes)
            packed = Deflater.gzip(bytes).map(Form.init)
        }
    }

    /// Those that are the same for every server, packed once.
    private static let files = Dictionary(
        PageFile.all.map { ($0.path, File(type: $0.contentType, bytes: $0.bytes)) },
        uniquingKeysWith: { first, _ in first })

    /// All modules at once, so that the browser need not find them one import after the other.
    private static let preloads = PageFile.all.filter { $0.path.hasSuffix(".js") }
        .map { "<link rel=\"modulepreload\" href=\"page/\($0.path)\">" }.joined(separator: "\n")

    private let index: File?
    private let policy: String

    init(_ settings: ServerSettings) {
        index = PageFile.named("index.html").map { file in
            let text = file.text.replacing("{{tiles}}", with: (settings.tileURL?.pattern ?? "").escapedForHTML)
                .replacing("{{attribution}}", with: settings.tileAttribution.escapedForHTML)
                .replacing("{{modules}}", with: Page.preloads)
            return File(type: file.contentType, bytes: Array(text.utf8))
        }
        // Leaflet empties a tile that it lets go with an image in a data URL.
        let images = settings.tileURL.map { " data: \($0.origin)" } ?? ""
        policy =
            "default-src 'self'; img-src 'self'\(images); object-src 'none'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }

    /// - Returns: `nil` when there is no such file.
    func answer(to call: Call) -> Answer? {
        let folder = call.parameter("folder")
        guard let file = folder.isEmpty ? index : Page.files["\(folder)/\(call.parameter("file"))"] else { return nil }
        let packed = call.takesGzip ? file.packed : nil
        let form = packed ?? file.plain
        var headers: HTTPFields = [
            .contentType: file.type, .eTag: form.tag.description, .contentSecurityPolicy: policy,
            // Asked for again each time, and answered with 304: a page and its modules are always of one program.
            .cacheControl: "no-cache",
        ]
        if file.packed != nil { headers[.vary] = "Accept-Encoding" }
        if packed != nil { headers[.contentEncoding] = "gzip" }
        if let field = call.headers[.ifNoneMatch], form.tag.isNamed(in: field, weakly: true) {
            headers[.contentEncoding] = nil
            return Answer(.notModified, headers: headers)
        }
        return Answer(.ok, headers: headers, body: .bytes(form.bytes))
    }
}

extension Call {
    /// Whether `Accept-Encoding` names gzip without a quality of 0 (RFC 9110, 12.5.3).
    fileprivate var takesGzip: Bool {
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
