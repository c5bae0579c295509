import FencepostAnalysis
import FencepostAppCommands
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRecordings
import Foundation

/// Scores a folder with real phones.
struct PhoneScoring {
    /// Seconds between the fixes of phones that send less.
    private static let intervals = [60.0, 180, 240, 300, 600]

    private let folder: String
    private let cases: [PhoneCase]
    private let legs: [PhoneLeg]?
    private let places: PhonePlaces?
    /// The stays of another detector, with its name.
    private let others: (name: String, stays: [DeviceID: [PhoneStay]])?

    /// Reads the folder, and the stays of another detector. What can be wrong is found before anything is evaluated.
    init(folder: String, stays: String?) throws {
        self.folder = URL(filePath: folder).lastPathComponent
        guard let file = try Self.contents(of: "cases.json", in: folder) else {
            Console.say("fencepost: \(folder) has no cases.json.gz and no cases.json")
            throw ExitStatus.noInput.exit
        }
        let cases = try PhoneCase.read(file.bytes, file: file.name)
        self.cases = cases
        others = try stays.map { path -> (name: String, stays: [DeviceID: [PhoneStay]]) in
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            return (name, try PhoneStay.read(try InputFile.bytes(of: path), file: path, of: cases))
        }
        if stays == nil {
            legs = try Self.optional("legs.json", in: folder, without: "the tables of legs are") {
                try PhoneLeg.read($0, file: $1)
            }
            places = try Self.optional("places.json", in: folder, without: "the table of presences is") {
                try PhonePlaces(reading: $0, file: $1)
            }
        } else {
            legs = nil
            places = nil
        }
    }

    private static func optional<Value>(
        _ name: String, in folder: String, without tables: String, _ read: ([UInt8], String) throws -> Value
    ) throws -> Value? {
        guard let file = try contents(of: name, in: folder) else {
            Console.say("fencepost: \(folder) has no \(name): \(tables) left out")
            return nil
        }
        return try read(file.bytes, file.name)
    }

    /// The contents and the path of a file, which may have the name with `.gz` and be compressed; `nil` if there is none.
    private static func contents(of name: String, in folder: String) throws -> (bytes: [UInt8], name: String)? {
        let paths = [name + ".gz", name].map { URL(filePath: folder).appending(path: $0).path }
        guard let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return nil }
        let bytes = [UInt8](try InputFile.bytes(of: path))
        guard bytes.starts(with: [0x1F, 0x8B]) else { return (bytes, path) }
        var contents: [UInt8] = []
        let outcome = Inflation()?.inflate(bytes) { piece in
            contents += piece
            return true
        }
        switch outcome {
        case .complete?: return (contents, path)
        case .tooLarge?:
            throw BenchmarkError(path, "it becomes more than \(Inflation.ratio) times its size when inflated")
        case .damaged?, nil: throw BenchmarkError(path, "the gzip file is damaged")
        }
    }

    /// Adds the tables of all files.
    func addTables(to scoreboard: inout Scoreboard) throws {
        let days = cases.filter { $0.group == .days }
        try addStays(of: days, to: &scoreboard)
        let still = cases.filter { $0.group == .still }
        if !still.isEmpty {
            let score = try PhoneStayScore(stays(of: still), of: still)
            scoreboard.addStillPhones("Phones that lie still, \(folder)", [(detector, score)])
        }
        // What else there is are trips and crossings, which another detector of stays does not have.
        guard others == nil else { return }
        if let legs { try addLegs(legs, to: &scoreboard) }
        guard !days.isEmpty else { return }
        let trips = try days.map { (phone: $0, trips: try PhoneEvaluation.trips(of: $0.fixes)) }
        scoreboard.addPhoneDays("Modes over whole days, \(folder)", [(detector, PhoneDayScore(trips))])
        if let places { try addPlaces(places, days, to: &scoreboard) }
    }

    private var detector: String { others?.name ?? "Fencepost" }

    private func stays(of cases: [PhoneCase]) throws -> [DeviceID: [PhoneStay]] {
        try others?.stays ?? PhoneEvaluation.stays(of: cases)
    }

    private func addStays(of days: [PhoneCase], to scoreboard: inout Scoreboard) throws {
        guard !days.isEmpty else { return }
        let stays = try self.stays(of: days)
        var rows = [(name: detector, score: PhoneStayScore(stays, of: days))]
        for (system, phones) in Dictionary(grouping: days, by: \.system).sorted(by: { $0.key < $1.key }) {
            rows.append(("· \(system)", PhoneStayScore(stays, of: phones)))
        }
        scoreboard.addPhoneStays("Stays of 10 min and more, \(folder)", rows)
        guard others == nil else { return }
        let thinned = try Self.intervals.map { interval in
            let phones = days.map { $0.thinned(to: interval) }
            return (name: Self.name(of: interval), score: PhoneStayScore(try self.stays(of: phones), of: phones))
        }
        scoreboard.addPhoneStays("Stays of 10 min and more with fewer fixes, \(folder)", thinned)
    }

    private func addLegs(_ legs: [PhoneLeg], to scoreboard: inout Scoreboard) throws {
        let fewer = legs.map { $0.thinned(to: 60) }
        let scores = try [("all fixes", legs), (Self.name(of: 60), fewer)].map { name, legs in
            (
                name: name,
                score: PhoneLegScore(try legs.map { (leg: $0, trips: try PhoneEvaluation.trips(of: $0.fixes)) })
            )
        }
        scoreboard.addPhoneLegs("Modes of legs, \(folder)", scores)
        scoreboard.addPhoneLengths("Lengths of legs, \(folder)", scores[0].score)
    }

    private func addPlaces(_ places: PhonePlaces, _ days: [PhoneCase], to scoreboard: inout Scoreboard) throws {
        let scores = try [CrossingMode.confirmed, .raw].map { mode in
            var settings = MonitorSettings()
            (settings.crossing, settings.visits) = (mode, nil)
            let events = try PhoneEvaluation.events(of: days.lazy.flatMap(\.fixes), places.regions, settings)
            return (name: mode.rawValue, score: PhonePlaceScore(events, of: days, at: places))
        }
        scoreboard.addPhonePlaces("Presences at real places, \(folder)", scores)
    }

    private static func name(of interval: Double) -> String { "one fix in \(Int(clamped: interval)) s" }
}
