public import FencepostEngine
import FencepostJSON
public import FencepostModel
import FencepostRegionFiles

/// What has to change so that the service follows the files of its config.
///
/// A file counts when what it says changes: what was changed or deleted over HTTP stays so while the file says the same.
public struct SourceSync<Edit: Sendable>: Sendable {
    public var edit: Edit
    /// As in `WatchChange`.
    public var sources: [String: String?]

    public var isEmpty: Bool { sources.isEmpty }
}

extension SourceSync<RegionEdit> {
    /// - Parameter known: as in `MonitorState.sources`.
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
    /// - Parameter apps: each app with the JSON object that it was read from.
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

/// What has to change of the stored endpoints.
public struct EndpointEdit: Sendable {
    public var changed: [Endpoint] = []
    public var removed: [String] = []

    public init() {}
}

extension EndpointEdit {
    /// - Parameters:
    ///   - makeSecret: a new signing secret, for drafts that bring none.
    ///   - now: when new ones were made.
    public init(drafts: [EndpointFile.Draft], stored: [Endpoint], now: Timestamp, makeSecret: () -> String) {
        let known = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
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
