import FencepostWebhooks
import Testing

@Suite("Address guard") struct AddressGuardTests {
    /// First and last address of each blocked network, and the addresses before and after it.
    static let ranges: [(inside: [String], outside: [String])] = [
        (["0.0.0.0", "0.255.255.255"], ["1.0.0.0"]),
        (["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]),
        (["100.64.0.0", "100.127.255.255"], ["100.63.255.255", "100.128.0.0"]),
        (["127.0.0.0", "127.0.0.1", "127.255.255.255"], ["126.255.255.255", "128.0.0.0"]),
        (["169.254.0.0", "169.254.169.254", "169.254.255.255"], ["169.253.255.255", "169.255.0.0"]),
        (["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]),
        (["192.0.0.0", "192.0.0.255"], ["191.255.255.255", "192.0.1.0"]),
        (["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]),
        (["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0"]),
        (["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"], ["223.255.255.255"]),
        (["::", "::1"], []),
        (
            ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            ["fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe00::"]
        ),
        (
            ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::", "ff00::", "ff02::1"],
            ["fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
        ),
        (["::ffff:127.0.0.1", "::ffff:10.0.0.0", "::ffff:a9fe:a9fe"], ["::ffff:9.255.255.255"]),
        (["64:ff9b::127.0.0.1", "64:ff9b::10.255.255.255", "64:ff9b:1::1"], ["64:ff9b::8.8.8.8"]),
        (["2002:7f00:1::", "2002:a00:0::1", "2002:c0a8:ffff::"], ["2002:808:808::"]),
        (["::127.0.0.1", "2001::1", "100::1"], ["2001:4860:4860::8888", "2606:4700::1111"]),
        // Documentation, benchmarks, relays and other special purposes.
        (["192.0.2.0", "192.0.2.255"], ["192.0.1.255", "192.0.3.0"]),
        (["198.51.100.0", "198.51.100.255"], ["198.51.99.255", "198.51.101.0"]),
        (["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]),
        (["192.88.99.0", "192.88.99.255"], ["192.88.98.255", "192.88.100.0"]),
        (["192.31.196.1", "192.52.193.1", "192.175.48.1"], ["192.31.195.255", "192.52.194.0", "192.175.49.0"]),
        (["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"], ["2001:db7::1", "2001:db9::"]),
        (["2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::"], ["2001:200::"]),
        (["3fff::1", "3fff:fff:ffff::"], ["3fff:1000::"]),
        (["5f00::1", "100:0:0:1::1", "2620:4f:8000::1", "64:ff9b:1:ffff::"], ["5eff::1", "5f01::"]),
        (["2002:c000:0201::", "64:ff9b::192.0.2.1", "::ffff:203.0.113.7"], []),
    ]

    @Test("blocks the first and last address of every non-public network", arguments: ranges)
    func ends(inside: [String], outside: [String]) throws {
        let addressGuard = AddressGuard()
        for text in inside { #expect(!addressGuard.permits(try #require(IPAddress(text))), "\(text)") }
        for text in outside { #expect(addressGuard.permits(try #require(IPAddress(text))), "\(text)") }
    }

    @Test("permits allowed networks, and no address next to them")
    func allowed() throws {
        let networks = try ["192.168.1.0/24", "10.1.2.3", "fd12::/16"].map { try #require(IPNetwork($0)) }
        let addressGuard = AddressGuard(allowedNetworks: networks)
        for text in [
            "192.168.1.0", "192.168.1.255", "10.1.2.3", "fd12::1", "::ffff:192.168.1.7", "64:ff9b::10.1.2.3",
        ] {
            #expect(addressGuard.permits(try #require(IPAddress(text))), "\(text)")
        }
        for text in ["192.168.0.255", "192.168.2.0", "10.1.2.4", "fd13::1", "127.0.0.1"] {
            #expect(!addressGuard.permits(try #require(IPAddress(text))), "\(text)")
        }
    }

    @Test(
        "refuses names of local networks at once, unless a network is allowed",
        arguments: ["homeassistant.local", "NAS.local.", "hub.home.arpa", "desk.corp.internal"])
    func localNames(host: String) throws {
        let networks = [try #require(IPNetwork("192.168.1.0/24"))]
        #expect(throws: EndpointURL.Failure.blocked) {
            try EndpointURL("https://\(host)/hook", guard: AddressGuard())
        }
        _ = try EndpointURL("https://\(host)/hook", guard: AddressGuard(allowedNetworks: networks))
        _ = try EndpointURL("https://\(host).example.com/hook".replacing("..", with: "."), guard: AddressGuard())
    }

    @Test(
        "parses networks strictly",
        arguments: ["10.0.0.0/33", "10.0.0/8", "fd00::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "x/8", ""])
    func badNetworks(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}

@Suite("Internet addresses") struct IPAddressTests {
    @Test(
        "have a description that parses to the same address",
        arguments: [
            ("1.2.3.4", "1.2.3.4"), ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8::0:1", "2001:db8::1"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("::ffff:1.2.3.4", "::ffff:102:304"), ("1::", "1::"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"),
        ])
    func canonical(text: String, written: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == written)
        #expect(IPAddress(written) == address)
    }

    @Test(
        "are nil for other texts",
        arguments: [
            "", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1::", ":::",
            "1:2:3:4:5:6:7:8::", "12345::", "::g", "::1.2.3", "fe80::1%eth0", "[::1]", "::+1", "1.2.3.4:80",
        ])
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }
}

@Suite("Endpoint URLs") struct EndpointURLTests {
    let open = AddressGuard(
        allowedNetworks: ["0.0.0.0/0", "::/0"].compactMap(IPNetwork.init), allowsHTTP: true)

    @Test(
        "are normalised",
        arguments: [
            ("https://Example.COM", "https://example.com/"),
            ("HTTPS://example.com:8443/a/b?c=d&e=%2F#part", "https://example.com:8443/a/b?c=d&e=%2F"),
            ("https://example.com?x=1", "https://example.com/?x=1"),
            ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]:80/"),
            ("https://2130706433/", "https://127.0.0.1/"), ("https://0x7f.1/", "https://127.0.0.1/"),
            ("https://0177.0.0.1/", "https://127.0.0.1/"), ("https://127.1/", "https://127.0.0.1/"),
            ("https://0x7F000001./", "https://127.0.0.1/"), ("https://a-b_c.example/", "https://a-b_c.example/"),
        ])
    func canonical(text: String, form: String) throws {
        #expect(try EndpointURL(text, guard: open).text == form)
    }

    @Test(
        "that parsers could read differently are rejected",
        arguments: [
            ("https://user@example.com/", EndpointURL.Failure.userInfo),
            ("https://user:word@example.com/", .userInfo), ("https://example.com@10.0.0.1/", .userInfo),
            ("https://example.com\\@10.0.0.1/", .badPath), ("https:/example.com", .notAURL), ("example.com", .notAURL),
            ("https://exa mple.com/", .notAURL), ("https://bücher.example/", .notAURL), ("https:///path", .badHost),
            ("https://exa%6dple.com/", .badHost), ("https://[::1/", .badHost), ("https://[1.2.3.4]/", .badHost),
            ("https://1.2.3.4.5/", .badHost), ("https://1.2.3.256/", .badHost), ("https://08.1.1.1/", .badHost),
            ("https://256.256.256.256/", .badHost), ("https://4294967296/", .badHost), ("https://0x/", .blocked),
            ("https://a..b/", .badHost), ("https://-a.example/", .badHost), ("https://example.com:0/", .badPort),
            ("https://example.com:65536/", .badPort), ("https://example.com:8x/", .badPort),
            ("https://example.com:/", .badPort), ("https://example.com/%2", .badPath),
            ("https://example.com/<", .badPath), ("ftp://example.com/", .scheme("ftp")),
            ("file:///etc/passwd", .scheme("file")), ("http+unix://%2Ftmp/", .scheme("http+unix")),
            ("https://" + String(repeating: "a", count: 2050), .tooLong), ("http://example.com/", .httpNotAllowed),
        ])
    func refused(text: String, failure: EndpointURL.Failure) {
        #expect(throws: failure) { try EndpointURL(text, guard: AddressGuard()) }
    }

    @Test(
        "with a non-public address are blocked in every notation",
        arguments: [
            "127.0.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.1", "127.1", "0", "[::]", "[::1]",
            "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "169.254.169.254",
            "0xa9.0xfe.0xa9.0xfe", "localhost", "LOCALHOST.", "a.localhost", "10.1", "[fe80::1]", "[fd00::1]",
        ])
    func blocked(host: String) {
        #expect(throws: EndpointURL.Failure.blocked) { try EndpointURL("https://\(host)/", guard: AddressGuard()) }
    }

    @Test("that are rejected do not disclose the address")
    func silence() {
        #expect(!EndpointURL.Failure.blocked.description.contains("127"))
    }
}
