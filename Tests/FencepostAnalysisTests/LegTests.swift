import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("The legs of a trip") struct LegTests {
    /// A journey from the centre of a plane, and the locations of a phone that sends no speeds.
    struct Journey {
        private let plane = LocalPlane(origin: Coordinate(latitude: 48, longitude: 11))
        private let interval: Double
        private let error: Double
        private let start: Timestamp
        private var generator: SeededGenerator
        private var (east, north, heading) = (0.0, 0.0, 0.0)
        private var next = 0.0
        private(set) var now = 0.0
        private(set) var meters = 0.0
        private(set) var locations: [Location] = []

        /// `interval`: seconds between locations; `error`: metres, uniform in both directions.
        init(
            every interval: Double, error: Double = 3, seed: UInt64 = 1,
            start: Timestamp = Timestamp(seconds: 1_772_409_600)
        ) {
            (self.interval, self.error, self.start) = (interval, error, start)
            generator = SeededGenerator(seed: seed)
        }

        /// Goes on at a speed in metres per second; `speeds` change evenly from the first to the last.
        mutating func go(_ seconds: Double, _ speeds: ClosedRange<Double>, slower: Bool = false) {
            for second in 0..<Int(seconds) {
                let share = Double(second) / seconds
                let change = (speeds.upperBound - speeds.lowerBound) * (slower ? 1 - share : share)
                let speed = speeds.lowerBound + change
                east += speed * sin(heading)
                north += speed * cos(heading)
                meters += speed
                step()
            }
        }
        mutating func go(_ seconds: Double, _ speed: Double) { go(seconds, speed...speed) }
        mutating func stand(_ seconds: Double) { go(seconds, 0) }
        mutating func turn(_ degrees: Double) { heading += degrees * .pi / 180 }

        /// Goes on without locations.
        mutating func hide(_ seconds: Double, _ speed: Double) {
            next = now + seconds + 1
            go(seconds, speed)
            next = now
        }

        /// A position far away that the phone states.
        mutating func add(east: Double, accuracy: Double) {
            now += 1
            locations.append(location(plane.unproject(east: self.east + east, north: north), accuracy))
        }

        private mutating func step() {
            now += 1
            guard now >= next else { return }
            next = now + interval
            let (dx, dy) = (
                Double.random(in: -1...1, using: &generator), Double.random(in: -1...1, using: &generator)
            )
            locations.append(location(plane.unproject(east: east + dx * error, north: north + dy * error), error * 2))
        }

        private func location(_ coordinate: Coordinate, _ accuracy: Double) -> Location {
            Location(
                deviceID: DeviceID("phone"), timestamp: start + .milliseconds(Int64(now * 1000)),
                coordinate: coordinate,
                horizontalAccuracy: accuracy)
        }

        func trips() -> [Trip] {
            var splitter = TripSplitter(device: DeviceID("phone"))
            return locations.flatMap { splitter.add($0) } + splitter.finish()
        }

        mutating func walk(_ blocks: Int) {
            for block in 0..<blocks {
                go(70, 1.35)
                turn(block % 2 == 0 ? 90 : -90)
                if block % 4 == 3 { stand(20) }
            }
        }
        mutating func ride(byTrainTo stations: Int) {
            for _ in 0..<stations {
                go(40, 0...28)
                go(110, 28)
                go(40, 0...28, slower: true)
                turn(4)
                stand(50)
            }
        }
        mutating func ride(byBusTo stops: Int) {
            for stop in 0..<stops {
                go(12, 0...12)
                go(stop % 4 == 1 ? 50 : 25, 12)
                go(12, 0...12, slower: true)
                if stop % 3 == 2 { turn(stop % 2 == 0 ? 90 : -90) }
                stand(stop % 5 == 2 ? 70 : 25)
            }
        }
    }

    @Test("are a walk, a train and a walk, each with its length, without gaps", arguments: [5, 15, 30.0])
    func walkTrainWalk(interval: Double) throws {
        var journey = Journey(every: interval)
        journey.walk(8)
        let walked = journey.meters
        journey.stand(120)
        journey.ride(byTrainTo: 6)
        let ridden = journey.meters - walked
        journey.walk(10)
        let trips = journey.trips()
        let trip = try #require(trips.first)
        #expect(trips.count == 1)
        #expect(trip.legs.map(\.mode) == [.walking, .rail, .walking])
        #expect(trip.mode == .rail)
        #expect(trip.legs.first?.start == trip.start.time && trip.legs.last?.end == trip.end.time)
        for (leg, next) in zip(trip.legs, trip.legs.dropFirst()) { #expect(leg.end == next.start) }
        #expect(abs(trip.legs.reduce(0) { $0 + $1.distance } - trip.distance) < 0.001)
        #expect(abs(trip.legs[1].distance / ridden - 1) < 0.03)
    }

    @Test("of a walk have its length, also where it waits at lights", arguments: [1, 10, 20.0])
    func lengthOfWalk(interval: Double) throws {
        var journey = Journey(every: interval, error: 8)
        journey.walk(24)
        let trip = try #require(journey.trips().first)
        #expect(trip.legs.map(\.mode) == [.walking])
        #expect(abs(trip.distance / journey.meters - 1) < 0.08, "\(trip.distance) of \(journey.meters)")
    }

    @Test("do not lead to a cell tower at the end") func cellTower() throws {
        var journey = Journey(every: 10)
        journey.walk(8)
        let length = journey.meters
        journey.add(east: 9000, accuracy: 4000)
        let trip = try #require(journey.trips().first)
        #expect(abs(trip.distance / length - 1) < 0.08, "\(trip.distance) of \(length)")
        #expect(trip.mode == .walking)
    }

    @Test("do not lead to jammed positions that agree with each other") func jammed() throws {
        var journey = Journey(every: 10)
        journey.walk(8)
        let length = journey.meters
        for _ in 0..<3 { journey.add(east: 300_000, accuracy: 10) }
        journey.walk(8)
        let trip = try #require(journey.trips().first)
        #expect(trip.distance < 2.2 * length)
        #expect(trip.topSpeed < 3)
    }

    @Test("have the length of a round way, although straight lines between its locations cut it")
    func round() throws {
        for interval in [60, 120, 180] as [Double] {
            var journey = Journey(every: interval, error: 0)
            // A round of 405 m in radius, in half an hour.
            for _ in 0..<720 {
                journey.go(5, 1.4)
                journey.turn(1)
            }
            let trip = try #require(journey.trips().first)
            let coordinates = journey.locations.map(\.coordinate)
            let straight = zip(coordinates, coordinates.dropFirst()).reduce(0) { $0 + Geodesic.distance($1.0, $1.1) }
            let whole = journey.meters * Double(journey.locations.count - 1) * interval / journey.now
            #expect(abs(trip.distance / whole - 1) < 0.6 * abs(straight / whole - 1), "\(interval)")
        }
    }

    @Test("of a bus with a location every minute are no ride by bicycle") func bus() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var journey = Journey(every: 60, error: 5, seed: seed)
            journey.ride(byBusTo: 30)
            let trip = try #require(journey.trips().first)
            #expect(trip.mode == .driving)
        }
    }

    @Test("are a flight only at 100 m/s for minutes") func flight() throws {
        var train = Journey(every: 10)
        train.ride(byTrainTo: 2)
        train.go(300, 80)
        train.hide(1500, 85)
        train.go(300, 80)
        #expect(try #require(train.trips().first).legs.allSatisfy { $0.mode != .air })
        var plane = Journey(every: 10)
        plane.go(300, 6)
        plane.hide(3600, 220)
        plane.go(300, 6)
        #expect(try #require(plane.trips().first).legs.contains { $0.mode == .air })
    }

    @Test("have a top speed from pieces of at most a minute") func topSpeed() throws {
        var journey = Journey(every: 10)
        journey.walk(8)
        journey.hide(600, 30)
        journey.walk(8)
        #expect(try #require(journey.trips().first).topSpeed < 3)
    }
}
