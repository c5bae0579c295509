import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostService

/// What OwnTracks' apps show of the person of a device: a name and a picture.
struct OwnTracksCard: Hashable {
    var name: String
    var face: [UInt8]?

    /// The payload for a device. On a broker, the topic connects a card with its device; the two letters are those of
    /// transitions.
    func payload(id: String) -> String {
        var writer = JSONWriter()
        let friend = OwnTracksFriend(deviceID: DeviceID(id), name: name, face: face)
        writer.card(of: friend, trackerID: String(id.suffix(2)), publisher: "fencepost")
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension BrokerPublication {
    /// Publishes the names and the pictures of devices as OwnTracks' cards, and takes those back that are gone.
    ///
    /// - Throws: when their topics cannot be noted; nothing is published then.
    func publishCards(after published: inout [String: OwnTracksCard]) async throws {
        guard let ownTracks else { return }
        func topic(_ id: String) -> String { "\(ownTracks)/\(MQTTTopics.escaped(id))/info" }
        let faces = await faces()
        var cards = names.value.mapValues { OwnTracksCard(name: $0) }
        for (id, face) in faces { cards[id] = OwnTracksCard(name: cards[id]?.name ?? id, face: face) }
        try await retained.note(
            cards.keys.map { RetainedTopic(topic: topic($0), deviceID: DeviceID($0), kind: .card) })
        for (id, card) in cards where published[id] != card { publisher.retain(topic(id), card.payload(id: id)) }
        published = cards
        let current = Set(cards.keys.map(topic))
        await clear(await retained.topics { $0.kind == .card && !current.contains($0.topic) })
    }
}
