import FencepostPage
import FencepostServer
import FencepostService
import Foundation
import Testing

@Suite("The files of the map page") struct PageFileTests {
    /// The folder of the source files.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/FencepostPage/Web")

    /// The files written by hand: without those of libraries and the base map.
    static let written = ours.filter { !$0.path.hasPrefix("base/") }

    /// The files of the folder: without those of libraries.
    static let ours = PageFile.all.filter { !$0.path.hasPrefix("leaflet/") && !$0.path.hasPrefix("qrcode/") }

    @Test("equal the files of the folder") func embedded() throws {
        var found: [String: Data] = [:]
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
        for name in names where !name.hasPrefix(".") {
            let url = Self.folder.appending(path: name)
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                found[name] = try Data(contentsOf: url)
            }
        }
        let embedded = Self.ours
        #expect(Set(embedded.map(\.path)) == Set(found.keys))
        for file in embedded { #expect(found[file.path] == Data(file.bytes), "\(file.path)") }
        #expect(Set(PageFile.all.map(\.path)).count == PageFile.all.count)
    }

    @Test("have a media type") func types() {
        for file in PageFile.all { #expect(file.contentType != "application/octet-stream", "\(file.path)") }
    }

    @Test("are short", arguments: written.map(\.path)) func length(path: String) throws {
        let file = try #require(PageFile.named(path))
        #expect(file.bytes.count { $0 == UInt8(ascii: "\n") } < 400)
        for line in file.text.split(separator: "\n") where !file.path.hasSuffix(".svg") && !file.path.hasSuffix(".css")
        {
            #expect(line.count <= 120, "\(line)")
        }
    }

    @Test("load nothing from other servers", arguments: written.map(\.path)) func outside(path: String) throws {
        let file = try #require(PageFile.named(path))
        // An XML namespace has the form of a URL, but is not requested.
        let text = file.text.replacing(/http:\/\/www\.w3\.org\/\d{4}\/[a-z]+/, with: "")
        #expect(!text.contains(/(https?|wss?):\/\//) && !text.contains("@import") && !text.contains("data:image"))
    }

    @Test("import existing files only", arguments: written.map(\.path).filter { $0.hasSuffix(".js") })
    func imports(path: String) throws {
        let file = try #require(PageFile.named(path))
        let paths = Set(PageFile.all.map(\.path))
        for found in file.text.matches(of: /(?:from |import\(|import )"([^"]+)"/) {
            let target = String(found.output.1)
            // Types are imported in comments; no browser asks for them.
            if target.hasPrefix("../../Types/") { continue }
            #expect(target.hasPrefix("."), "\(target)")
            let base = try #require(URL(string: "file:///\(file.path)"))
            let found = try #require(URL(string: target, relativeTo: base)).absoluteURL.path.dropFirst()
            #expect(paths.contains(String(found)), "\(file.path) imports \(target)")
        }
    }

    @Test("contain no inline script or style, as the content security policy requires") func markup() throws {
        let page = try #require(PageFile.named("index.html")).text
        #expect(!page.contains(/<script(?![^>]*src=)/) && !page.contains("<style") && !page.contains(/\sstyle=/))
        #expect(!page.contains(/\son[a-z]+=/))
        let paths = Set(PageFile.all.map(\.path))
        for found in page.matches(of: /(?:src|href)="page\/([^"]+)"/) {
            #expect(paths.contains(String(found.output.1)))
        }
        for file in Self.written where file.path.hasSuffix(".js") {
            #expect(!file.text.contains("eval(") && !file.text.contains("insertAdjacentHTML"), "\(file.path)")
            #expect(
                !file.text.contains(/innerHTML\s*\+?=/) && !file.text.contains(#"setAttribute("style""#), "\(file.path)"
            )
        }
    }
}

@Suite("The map page") struct PageTests {
    @Test("is served without a token, with a policy that allows nothing from other origins") func headers() async throws
    {
        try await TestServer.run { server in
            let page = try await server.get("/", token: .some(nil))
            #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
            let policy = try #require(page["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'self';") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("http") && policy.contains("img-src 'self';"))
            #expect(page["X-Content-Type-Options"] == "nosniff" && page["Referrer-Policy"] == "no-referrer")
            #expect(page["Cache-Control"] == "no-cache")
            #expect(page.text.contains("<title>Fencepost</title>") && !page.text.contains("{{"))
            for file in PageFile.all where file.path.hasSuffix(".js") {
                #expect(page.text.contains("rel=\"modulepreload\" href=\"page/\(file.path)\""), "\(file.path)")
            }
        }
    }

    @Test("has files that are sent compressed, and once") func files() async throws {
        try await TestServer.run { server in
            for file in PageFile.all where file.path.contains("/") {
                let plain = try await server.get(
                    "/page/\(file.path)", headers: [("Accept-Encoding", "identity")], token: .some(nil))
                let isWhole = plain.body == file.bytes
                #expect(plain.status == 200 && isWhole, "\(file.path)")
                #expect(plain["Content-Type"] == file.contentType && plain["Content-Encoding"] == nil)
                let tag = try #require(plain["ETag"])
                // The client decompresses the response.
                let packed = try await server.get(
                    "/page/\(file.path)", headers: [("Accept-Encoding", "br, gzip")], token: .some(nil))
                // Not compared in the expectation, which would look for the difference of long arrays for minutes.
                let isSame = packed.body == file.bytes
                #expect(isSame, "\(file.path)")
                if packed["Content-Encoding"] == "gzip" {
                    let count = try #require(packed["Content-Length"].flatMap { Int($0) })
                    #expect(count < file.bytes.count && packed["ETag"] != tag && packed["Vary"] == "Accept-Encoding")
                } else {
                    #expect(file.bytes.count < 100, "\(file.path)")
                }
                let known = try await server.get(
                    "/page/\(file.path)", headers: [("Accept-Encoding", "identity"), ("If-None-Match", tag)],
                    token: .some(nil))
                #expect(known.status == 304 && known.body.isEmpty && known["ETag"] == tag, "\(file.path)")
            }
            let refused = try await server.get(
                "/page/shell/main.js", headers: [("Accept-Encoding", "gzip;q=0")], token: .some(nil))
            #expect(refused["Content-Encoding"] == nil)
        }
    }

    @Test("has no other files") func others() async throws {
        try await TestServer.run { server in
            for path in ["shell/none.js", "shell/..%2Findex.html", "..%2F..%2Fetc/passwd", "shell/main.js/x", "shell"] {
                let reply = try await server.get("/page/\(path)", token: .some(nil))
                #expect(reply.status == 404, "\(path)")
            }
        }
    }

    @Test("comes from a folder as its files are at each request") func folder() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID())")
        try FileManager.default.createDirectory(at: url.appending(path: "shell"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try "<title>One</title>\n{{modules}} {{tileKind}}".write(
            to: url.appending(path: "index.html"), atomically: true, encoding: .utf8)
        try "first".write(to: url.appending(path: "shell/main.js"), atomically: true, encoding: .utf8)
        try "hidden".write(to: url.appending(path: "shell/.main.js.swp"), atomically: true, encoding: .utf8)
        let page = try PageFolder(path: url.path)
        try await TestServer.run {
            $0.page = page
        } _: { server in
            let index = try await server.get("/", token: .some(nil))
            #expect(index.text.hasPrefix("<title>One</title>\n") && !index.text.contains("{{"))
            #expect(
                index.text.contains("href=\"page/shell/main.js\"") && index.text.contains("page/leaflet/leaflet.js"))
            #expect(!index.text.contains("page/core/geo.js"))
            #expect(index["Content-Security-Policy"]?.hasPrefix("default-src 'self';") == true)
            let main = try await server.get("/page/shell/main.js", token: .some(nil))
            #expect(main.text == "first" && main["Content-Type"] == "text/javascript; charset=utf-8")
            #expect(main["Cache-Control"] == "no-store" && main["ETag"] == nil)

            try "second".write(to: url.appending(path: "shell/main.js"), atomically: true, encoding: .utf8)
            #expect(try await server.get("/page/shell/main.js", token: .some(nil)).text == "second")
            let leaflet = try await server.get("/page/leaflet/leaflet.js", token: .some(nil))
            let isProgramsOwn = leaflet.body == PageFile.named("leaflet/leaflet.js")?.bytes
            #expect(leaflet.status == 200 && isProgramsOwn)
            // What the folder lacks is missing, also if the program has it; nothing else is read.
            for path in ["core/geo.js", "shell/.main.js.swp", "shell/..%2Findex.html", "..%2F..%2Fetc/passwd", "shell"]
            {
                #expect(try await server.get("/page/\(path)", token: .some(nil)).status == 404, "\(path)")
            }
            #expect(try await server.get("/share", token: .some(nil)).status == 404)
        }
    }

    @Test("is refused from a folder without it, with the cure") func noFolder() {
        let failure = #expect(throws: PageFolder.Failure.self) { try PageFolder(path: "/nowhere") }
        #expect(
            failure?.description
                == "/nowhere has no index.html that can be read. Name the folder of the page's sources, "
                + "such as Sources/FencepostPage/Web.")
    }

    @Test("loads tiles from the configured origin only") func tiles() async throws {
        try await TestServer.run { dependencies in
            dependencies.settings.tileURL = TileAddress("https://tiles.example.org:8443/a/{z}/{x}/{y}.png?k=\"1\"")
            dependencies.settings.tileAttribution = "© Somebody <b>"
        } _: { server in
            let page = try await server.get("/", token: .some(nil))
            let policy = try #require(page["Content-Security-Policy"])
            #expect(policy.contains("img-src 'self' data: https://tiles.example.org:8443;"))
            #expect(page.text.contains("{z}/{x}/{y}.png?k=&quot;1&quot;\"") && page.text.contains("Somebody &lt;b>"))
        }
    }

    @Test(
        "rejects tile URLs that could weaken its policy",
        arguments: [
            "https://t.example.org/{z}/{x}.png", "ftp://t.example.org/{z}/{x}/{y}.png",
            "https://t.example.org; script-src */{z}/{x}/{y}", "https://user@t.example.org/{z}/{x}/{y}",
            "https://*.example.org/{z}/{x}/{y}", "https://{s}.example.org/{z}/{x}/{y}.png", "/{z}/{x}/{y}",
        ])
    func tileAddresses(pattern: String) {
        #expect(TileAddress(pattern) == nil)
    }
}
