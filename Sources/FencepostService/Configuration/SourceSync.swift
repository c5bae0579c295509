public import FencepostEngine
import FencepostJSON
public import FencepostModel
import FencepostRegionFiles

/// The change that applies the files of the configuration.
///
/// An object of a file takes effect only when it changes. A change over HTTP so persists while the file stays the same.
public struct SourceSync<Edit: Sendable>: Sendable {
    /// The change.
    public var edit: Edit
    /// Changed hashes of objects, as in `WatchChange`.
    public var sources: [String: String?]

    /// Whether nothing changed in the files.
    public var isEmpty: Bool { sources.isEmpty }
}

extension SourceSync<RegionEdit> {
    /// Compares regions of files with the stored hashes.
    ///
    /// - Parameters:
    ///   - regions: all regions of the files.
    ///   - known: as in `MonitorState.sources`.
    public init(regions: [Region], known: [String: String]) {
        var edit = RegionEdit()
        var sources: [String: String?] = [:]
        var writer = JSONWriter()
        var seen: Set<String> = []
        for region in regions {
            writer.removeAll()
            writer.value(region)
            let key = "region/" + region.id.rawValue
            let hash = Self.hash(writer.bytes)
            seen.insert(key)
            if known[key] != hash {
                edit.changed.append(region)
                sources[key] = .some(hash)
            }
        }
        for key in known.keys.sorted() where key.hasPrefix("region/") && !seen.contains(key) {
            edit.removed.append(RegionID(String(key.dropFirst("region/".count))))
            sources[key] = .some(nil)
        }
        self.init(edit: edit, sources: sources)
    }
}

extension SourceSync<AppEdit> {
    /// Compares apps of files with the stored hashes.
    ///
    /// - Parameters:
    ///   - apps: all apps of the files.
    ///   - known: as in `MonitorState.sources`.
    public init(apps: [StoredApp], known: [String: String]) {
        var edit = AppEdit()
        var sources: [String: String?] = [:]
        var seen: Set<String> = []
        for app in apps {
            let key = "app/" + app.id
            let hash = Self.hash(Array(app.definition.utf8))
            seen.insert(key)
            if known[key] != hash {
                edit.changed.append(app)
                sources[key] = .some(hash)
            }
        }
        for key in known.keys.sorted() where key.hasPrefix("app/") && !seen.contains(key) {
            edit.removed.append(String(key.dropFirst("app/".count)))
            sources[key] = .some(nil)
        }
        self.init(edit: edit, sources: sources)
    }
}

/// A change of the stored endpoints.
public struct EndpointEdit: Sendable {
    /// New and replaced endpoints.
    public var changed: [Endpoint] = []
    /// Removed endpoints.
    public var removed: [String] = []

    /// A change of nothing.
    public init() {}
}

extension EndpointEdit {
    /// Compares endpoints of the configuration with the stored ones.
    ///
    /// - Parameters:
    ///   - drafts: all endpoints of the configuration.
    ///   - stored: all stored endpoints.
    ///   - now: creation time of new endpoints.
    ///   - makeSecret: returns a new signing secret, for drafts without one.
    public init(drafts: [EndpointFile.Draft], stored: [Endpoint], now: Timestamp, makeSecret: () -> String) {
        let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        for draft in drafts {
            var endpoint = draft.endpoint
            if endpoint.id.isEmpty {
                var identity = Identity()
                identity.add(endpoint.url)
                endpoint.id = identity.text(prefix: "end_")
            }
            seen.insert(endpoint.id)
            let before = known[endpoint.id]
            if let before, before.sourceHash == draft.hash { continue }
            endpoint.sourceHash = draft.hash
            endpoint.createdAt = before?.createdAt ?? now
            if endpoint.secrets.isEmpty {
                endpoint.secrets = before?.secrets ?? [Endpoint.Secret(makeSecret())]
            }
            changed.append(endpoint)
        }
        removed = stored.filter { $0.sourceHash != nil && !seen.contains($0.id) }.map(\.id)
    }
}

extension SourceSync {
    private static func hash(_ bytes: [UInt8]) -> String {
        var identity = Identity()
        identity.add(String(decoding: bytes, as: UTF8.self))
        return identity.text(prefix: "")
    }
}
