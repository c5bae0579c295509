import FencepostPage
import FencepostService
import FencepostTiles
import Synchronization

/// The tiles below the layers of the map: those of the configuration, or else those that an administrator has chosen.
final class MapSource: Sendable {
    private struct State {
        var page: Page
        var tiles: (any TileArchive)?
        var choice: MapChoice?
    }

    /// Whether the configuration names the tiles, so that the page has no choice.
    let isConfigured: Bool
    /// Files that administrators send; `nil` in a cluster, whose nodes would not have them.
    let files: MapFiles?
    private let geocoder: String?
    private let folder: PageFolder?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - settings: the tiles that the configuration names.
    ///   - configured: the file that it names; `nil` for none.
    ///   - files: files that administrators send.
    ///   - geocoder: the attribution of the geocoder; `nil` without one.
    ///   - folder: files of the page that are read at each request, instead of those of the program; `nil` for none.
    init(
        _ settings: ServerSettings, configured: (any TileArchive)?, files: MapFiles?, geocoder: String?,
        folder: PageFolder?
    ) {
        isConfigured = settings.mapTiles != nil || settings.tileURL != nil
        self.files = files
        self.geocoder = geocoder
        self.folder = folder
        let tiles = PageTiles(settings.tiles, attribution: settings.tileAttribution, configured?.info)
        state = Mutex(
            State(
                page: Page(
                    tiles, choice: isConfigured ? .configured : .open, geocoder: geocoder, folder: folder),
                tiles: configured, choice: nil))
    }

    /// The files of the page.
    var page: Page { state.withLock { $0.page } }

    /// The file with tiles; `nil` for none.
    var tiles: (any TileArchive)? { state.withLock { $0.tiles } }

    /// What an administrator has chosen; `nil` before the first choice.
    var choice: MapChoice? { state.withLock { $0.choice } }

    /// Shows what was chosen, on pages that are loaded from now on. Blocks.
    ///
    /// - Parameter choice: the choice.
    /// - Throws: a `TileError` when the chosen file cannot be used; then the map has no tiles.
    func show(_ choice: MapChoice) throws {
        guard !isConfigured else { return }
        let archive: Result<(any TileArchive)?, any Error> = Result {
            guard case .file(let name) = choice.tiles else { return nil }
            return try files.map { try TileFile.open($0.path(of: name)) }
        }
        let found = try? archive.get()
        let tiles = PageTiles(choice.tiles, attribution: choice.attribution, found?.info)
        let page = Page(tiles, choice: .made, geocoder: geocoder, folder: folder)
        state.withLock { $0 = State(page: page, tiles: found, choice: choice) }
        _ = try archive.get()
    }
}
