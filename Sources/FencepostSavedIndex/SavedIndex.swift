public import FencepostFiles
public import FencepostModel
public import FencepostRegionFiles
public import FencepostRegions
import Foundation

/// Regions with their index in a file, which is used where it is: nothing is parsed, validated or built.
///
/// The file is that of `fencepost index`. `docs/design/cell-index.md` describes it.
public struct SavedIndex: Sendable {
    /// The index over all regions. Its catalog decodes a region when it is asked for.
    public let index: RegionIndex
    /// The problems of the region files, as they were reported when they were read.
    public let diagnostics: [Diagnostic]
    /// The region files, as they were read.
    let sources: [RegionSourceFile]
    private let path: String
    private let repair: Bool
    private let idProperty: String?
    private let radius: Double?

    /// Opens a file and checks all of it.
    ///
    /// - Throws: the reason why it cannot be used. Whether it is outdated is not checked.
    public init(path: String) throws(SavedIndexError) {
        let file: MappedFile
        do throws(MappedFile.Failure) {
            file = try MappedFile(path: path)
        } catch {
            throw SavedIndexError(.unreadable, "\(path) cannot be read: \(error).", systemError: error.code)
        }
        try self.init(file, path: path)
    }

    /// Checks the content of a file; `path` is its name in messages.
    package init(_ file: MappedFile, path: String) throws(SavedIndexError) {
        self.path = path
        let header = try SavedHeader(file, name: path)
        var parts: [UInt32: MappedFile.Part] = [:]
        for entry in header.entries {
            guard entry.offset % Self.alignment == 0,
                let part = file.part(at: entry.offset, byteCount: entry.byteCount),
                ContentHash.hash(part.bytes) == entry.hash
            else { throw SavedHeader.damaged(path) }
            parts[entry.id] = part
        }
        guard let meta = parts[SavedSection.meta.rawValue].flatMap({ SavedMeta($0.bytes) }) else {
            throw SavedHeader.damaged(path)
        }
        guard meta.version == FencepostVersion.current else { throw SavedHeader.otherVersion(path) }
        (diagnostics, sources) = (meta.diagnostics, meta.sources)
        (repair, idProperty, radius) = (meta.repair, meta.idProperty, meta.radius)
        guard let records = parts[SavedSection.records.rawValue], let offsets = parts[SavedSection.offsets.rawValue],
            let order = parts[SavedSection.order.rawValue], let count = SavedRegions.count(offsets)
        else { throw SavedHeader.damaged(path) }
        let layer: SavedLayer
        do throws(DamagedSection) {
            layer = try SavedLayer(regions: count) { parts[$0.rawValue] }
        } catch {
            throw SavedHeader.damaged(path)
        }
        guard let regions = SavedRegions(records: records, offsets: offsets, order: order, layer: layer) else {
            throw SavedHeader.damaged(path)
        }
        index = RegionIndex(RegionCatalog(regions), saved: layer)
    }

    /// Checks that the index is that of region files as they are now, by their content.
    ///
    /// - Parameters:
    ///   - paths: files, folders and patterns, as `RegionSet.load` takes them.
    ///   - options: how the files would be read.
    /// - Throws: why the files have to be read again: `outdated`.
    public func check(paths: [String], options: RegionOptions) throws(SavedIndexError) {
        func outdated(_ reason: String) -> SavedIndexError {
            SavedIndexError(.outdated, "\(path) is outdated: \(reason).")
        }
        guard options.repair == repair, options.idProperty == idProperty, options.radius == radius else {
            throw outdated("it was written with other options for reading regions")
        }
        guard let files = RegionSet.files(of: paths) else { throw outdated("a region file is missing") }
        guard files.count == sources.count else {
            throw outdated("it was written for \(sources.count) region files, not for \(files.count)")
        }
        for (file, source) in zip(files, sources) {
            guard RegionSourceFile(file)?.hasContent(of: source) == true else { throw outdated("\(file) has changed") }
        }
    }

    /// Writes the regions of files with their index.
    ///
    /// - Parameters:
    ///   - set: the regions.
    ///   - index: the index of `set.catalog`.
    ///   - sources: the files of the regions, from before they were read.
    ///   - options: how the files were read.
    ///   - output: the file to write.
    /// - Throws: `OutputFileError`; `outdated` if a region file has changed while it was read.
    public static func write(
        _ set: RegionSet, _ index: RegionIndex, sources: [RegionSourceFile], options: RegionOptions,
        to output: OutputFile
    ) throws {
        for source in sources where RegionSourceFile(source.name)?.hasContent(of: source) != true {
            throw SavedIndexError(.outdated, "\(source.name) has changed while it was read. Try it again.")
        }
        let meta = SavedMeta(
            version: FencepostVersion.current, options: options, sources: sources, diagnostics: set.diagnostics)
        let sections = OwnSections(set.regions, meta)
        var entries: [SavedHeader.Entry] = []
        var end = UInt64(SavedHeader.byteCount(sections: SavedSection.allCases.count + LayerSection.allCases.count))
        sections.forEach(and: index) { id, bytes in
            let offset = (end + Self.alignment - 1) / Self.alignment * Self.alignment
            entries.append(
                SavedHeader.Entry(
                    id: id, offset: offset, byteCount: UInt64(bytes.count), hash: ContentHash.hash(bytes)))
            end = offset + UInt64(bytes.count)
        }
        let header = SavedHeader(entries: entries, fileSize: end).bytes
        try output.write { append in
            try header.withUnsafeBytes { try append($0) }
            var written = UInt64(header.count)
            var rest = entries[...]
            try sections.forEach(and: index) { _, bytes in
                guard let entry = rest.popFirst() else { return }
                let padding = [UInt8](repeating: 0, count: Int(entry.offset - written))
                try padding.withUnsafeBytes { try append($0) }
                try append(bytes)
                written = entry.offset + entry.byteCount
            }
        }
    }

    /// The offset of a section is a multiple of it: the size of a cache line, of which cells make use.
    static let alignment: UInt64 = 64
}

/// A region file by its content.
public struct RegionSourceFile: Hashable, Sendable {
    /// The name, as the user gave it.
    public let name: String
    let byteCount: UInt64
    let hash: UInt64

    /// The file at a path as it is now; `nil` if it cannot be read.
    public init?(_ path: String) {
        guard let file = try? MappedFile(path: path) else { return nil }
        name = path
        byteCount = UInt64(file.byteCount)
        hash = file.withBytes { ContentHash.hash($0) }
    }

    init(name: String, byteCount: UInt64, hash: UInt64) {
        (self.name, self.byteCount, self.hash) = (name, byteCount, hash)
    }

    /// Whether both have the same bytes.
    func hasContent(of other: RegionSourceFile) -> Bool { byteCount == other.byteCount && hash == other.hash }
}
