import FencepostJSON
import FencepostModel
import FencepostNode
import FencepostOperation
import FencepostService
import FencepostTransport
import Foundation
import Synchronization
import Testing

/// The whole service in the process of the test: over a database in a folder, at a free port.
@Suite("A service in this process", .serialized, .timeLimit(.minutes(2)))
struct ServiceProcessTests {
    @Test("reports the entry into a region of its files, and stops when it is asked to") func serves() async throws {
        let folder = try ServiceRoom()
        try folder.write("regions.geojson", ServiceRoom.square("home", at: 2))
        let service = try folder.start()
        let listening = try await service.listening()
        let answer = try await listening.post(
            "/v1/locations",
            #"{"deviceId":"bus","timestamp":"2026-03-01T08:00:00Z","latitude":48.005,"longitude":2.005,"accuracy":5}"#)
        #expect(answer.status == 200)
        #expect(try await listening.events() == ["region.entered home"])
        service.events.stop()
        try await service.ended()
    }

    @Test("has the regions of a changed file after a reload") func reloads() async throws {
        let folder = try ServiceRoom()
        try folder.write("regions.geojson", ServiceRoom.square("home", at: 2))
        let service = try folder.start()
        let listening = try await service.listening()
        #expect(try await listening.regions() == ["home"])
        try folder.write("regions.geojson", ServiceRoom.square("work", at: 3))
        service.events.reload()
        while try await listening.regions() != ["work"] { await Task.yield() }
        service.events.stop()
        try await service.ended()
    }

    @Test("does not start over a database that another one uses, nor at its port") func refuses() async throws {
        let folder = try ServiceRoom()
        let first = try folder.start()
        let port = try await first.listening().port
        let locked = await #expect(throws: ServiceFailure.self) { try await folder.start().ended() }
        #expect(locked?.cause == .tryAgain, "\(String(describing: locked))")
        let taken = await #expect(throws: ServiceFailure.self) { try await ServiceRoom().start(port: port).ended() }
        #expect(taken?.cause == .unavailable)
        #expect(taken?.description.hasPrefix("port \(port) of 127.0.0.1 is in use") == true)
        first.events.stop()
        try await first.ended()
    }

    @Test("says what it cannot run with before it opens anything") func problems() throws {
        let folder = try ServiceRoom()
        var configuration = try folder.configuration(
            """
            {"cluster": {"url": "nats://127.0.0.1:1", "name": "c", "node": "n", "partitions": 3},
             "mqtt": {"host": "127.0.0.1", "publish": {}}}
            """)
        #expect(
            ServiceProcess.problem(with: configuration)?.description.hasPrefix("mqtt.publish cannot be used") == true)
        configuration = try folder.configuration()
        #expect(ServiceProcess.problem(with: configuration) == nil)
        #expect(!FileManager.default.fileExists(atPath: configuration.storage.path))
    }
}
