import FencepostCrypto
import Foundation
import Testing

/// The test vectors of the standards.
@Suite("Cryptography by libsodium") struct CryptoTests {
    /// Bytes of hexadecimal digits.
    private func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)!
        }
    }

    @Test("SHA-256 gives the digests of FIPS 180-4, in one part or several")
    func sha256() {
        let digest = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256.hash(Array("abc".utf8)) == digest)
        var hash = SHA256()
        hash.update(Array("a".utf8))
        hash.update(Array("bc".utf8))
        #expect(hash.finalize() == digest)
    }

    @Test("HMAC-SHA-256 gives the code of RFC 4231, test case 2, and refuses another")
    func hmac() {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        var code = bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(HMACSHA256.code(for: message, key: key) == code)
        #expect(HMACSHA256.isValid(code, for: message, key: key))
        code[31] ^= 1
        #expect(!HMACSHA256.isValid(code, for: message, key: key))
        #expect(!HMACSHA256.isValid([], for: message, key: key))
    }

    @Test("Ed25519 gives the key and the signature of RFC 8032, test 2, and refuses a changed message")
    func ed25519() throws {
        let seed = bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        let key = try #require(Ed25519PrivateKey(seed: seed))
        #expect(key.publicKey.bytes == bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let signature = key.signature(for: [0x72])
        #expect(
            signature
                == bytes(
                    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"))
        #expect(key.publicKey.isValidSignature(signature, for: [0x72]))
        #expect(!key.publicKey.isValidSignature(signature, for: [0x73]))
        #expect(!key.publicKey.isValidSignature(Array(signature.dropLast()), for: [0x72]))
        #expect(Ed25519PrivateKey(seed: Array(seed.dropLast())) == nil)
        #expect(Ed25519PublicKey(Array(seed.dropLast())) == nil)
    }

    @Test("a sealed message opens with its key only, and not after a change")
    func secretBox() {
        let message = Array("{\"_type\":\"location\"}".utf8)
        var sealed = SecretBox.seal(message, key: Array("secret".utf8))
        #expect(SecretBox.open(sealed, key: Array("secret".utf8)) == message)
        #expect(SecretBox.open(sealed, key: Array("Secret".utf8)) == nil)
        #expect(SecretBox.open(Array(sealed.prefix(30)), key: Array("secret".utf8)) == nil)
        #expect(SecretBox.seal(message, key: Array("secret".utf8)) != sealed)
        sealed[sealed.count - 1] ^= 1
        #expect(SecretBox.open(sealed, key: Array("secret".utf8)) == nil)
    }

    @Test("AES-256-GCM opens test case 14 of the algorithm's proposal")
    func aes256GCM() {
        // Key and nonce of zeros; one block of zeros.
        let (key, nonce) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 12))
        let sealed = nonce + bytes("cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919")
        #expect(AES256GCM.open(sealed, key: key) == [UInt8](repeating: 0, count: 16))
        #expect(AES256GCM.open(sealed, key: Array(key.dropLast()) + [1]) == nil)
    }

    @Test("comparison in constant time distinguishes equal from different")
    func constantTime() {
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
        #expect(!ConstantTime.areEqual([1, 2], [1]))
        #expect(ConstantTime.areEqual([], []))
    }

    @Test("password hashes are Argon2id, as another implementation makes them")
    func passwords() throws {
        // argon2-cffi 23.1, PasswordHasher(time_cost=2, memory_cost=65536, parallelism=1).
        #expect(PasswordHash.matches(Array("p\u{e4}ssword".utf8), Self.reference))
        #expect(!PasswordHash.matches(Array("password".utf8), Self.reference))
        let hash = try #require(PasswordHash.make(Array("secret".utf8)))
        #expect(PasswordHash.matches(Array("secret".utf8), hash) && !PasswordHash.matches([], hash))
        #expect(PasswordHash.make(Array("secret".utf8)) != hash)
        #expect(!PasswordHash.matches(Array("secret".utf8), "no hash"))
        // The hash of nobody costs the same.
        let parameters = { (hash: String) in hash.split(separator: "$").prefix(3) }
        #expect(parameters(PasswordHash.ofNobody) == parameters(hash))
        #expect(!PasswordHash.matches([], PasswordHash.ofNobody))
    }

    private static let reference =
        "$argon2id$v=19$m=65536,t=2,p=1$QDO4w/tcI6TXmIep/ef7ZA"
        + "$cfg89RmiIJTcLMyXS04OdmYyiGWkHtLAepTLYCdERnI"
}
