import FencepostModel
package import FencepostService

extension LocationCursor {
    /// The cursor after the last location of a page.
    ///
    /// - Precondition: the page is not empty.
    package init(behind page: some BidirectionalCollection<StoredLocation>, after earlier: LocationCursor?) {
        let time = page.last?.location.timestamp ?? .distantPast
        let same = page.reversed().prefix { $0.location.timestamp == time }.count
        let isOneTime = same == page.count && earlier?.timestamp == time
        self.init(timestamp: time, skip: same + (isOneTime ? earlier?.skip ?? 0 : 0))
    }
}
