import FencepostFormats
import FencepostModel
import Testing

@Suite("The limits of XML") struct XMLLimitTests {
    private static func gpx(_ root: String, _ content: String) -> [UInt8] {
        Array("<gpx version=\"1.1\" \(root)>\(content)</gpx>".utf8)
    }

    private static func attributes(_ count: Int, _ name: String = "a") -> String {
        (0..<count).map { "\(name)\($0)=\"u\" " }.joined()
    }

    /// How many bytes were read until the end or the failure, and why it failed.
    private static func read(_ bytes: [UInt8]) throws -> (count: Int, failure: String?) {
        var reader = LocationReader(
            ByteSource(bytes: bytes, maximumRead: 4096), options: LocationReader.Options(format: .gpx))
        while try reader.next() != nil {}
        return (reader.bytesRead, reader.failure?.message)
    }

    /// libxml2 compares the attributes of an element with each other: 500 000 of them took half a minute.
    @Test(
        "stop after the same number of bytes for any number of attributes",
        arguments: [1000, 10_000, 100_000, 500_000], ["a", "xmlns:a"])
    func attributes(count: Int, name: String) throws {
        let (read, failure) = try Self.read(Self.gpx("", "<trk \(Self.attributes(count, name))/>"))
        #expect(failure?.contains("attributes") == true)
        #expect(read <= 48 << 10)
    }

    @Test("accept 64 attributes, and name the number of more")
    func boundary() throws {
        #expect(try Self.read(Self.gpx("", "<trk \(Self.attributes(64))/>")).failure == nil)
        let failure = try Self.read(Self.gpx("", "<trk \(Self.attributes(65))/>")).failure
        #expect(failure?.contains("65 attributes") == true && failure?.contains("64") == true)
    }

    @Test("apply to the depth, to names, to namespaces in scope and to comments")
    func others() throws {
        func nested(_ depth: Int, _ start: (Int) -> String) -> [UInt8] {
            Self.gpx("", (0..<depth).map(start).joined() + String(repeating: "</a>", count: depth))
        }
        #expect(try Self.read(nested(63) { _ in "<a>" }).failure == nil)
        #expect(try Self.read(nested(64) { _ in "<a>" }).failure?.contains("nested deeper than 64") == true)
        let name = String(repeating: "n", count: 257)
        #expect(try Self.read(Self.gpx("", "<\(name)/>")).failure?.contains("256 bytes") == true)
        let declared = nested(10) { "<a " + Self.attributes(10, "xmlns:x\($0)y") + ">" }
        #expect(try Self.read(declared).failure?.contains("namespaces") == true)
        let sibling = Self.gpx("", String(repeating: "<a xmlns:x=\"u\"/>", count: 1000))
        #expect(try Self.read(sibling).failure == nil)
        let comment = "<!--" + String(repeating: "c", count: 40_000) + "-->"
        #expect(try Self.read(Self.gpx("", comment)).failure == nil)
        let long = "<!--" + String(repeating: "c", count: 3_000_000) + "-->"
        let (count, failure) = try Self.read(Self.gpx("", long))
        #expect(failure?.contains("comment") == true && count < 1_100_000)
    }
}
