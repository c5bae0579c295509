import Foundation

/// The server's end of TLS in front of a receiver without TLS: Python's, because no other part needs a TLS server.
struct TestTLS: Sendable {
    /// The paths of PEM files.
    var certificate, key: String
    /// The name of Python's `ssl.TLSVersion`.
    var maximum: String

    /// Passes on what a client sends once the handshake is over, and what the receiver answers.
    private static let program = """
        import socket, ssl, sys, threading

        certificate, key, maximum, target = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion[maximum]
        context.set_ciphers("ALL:@SECLEVEL=0")


        def copy(source, drain):
            try:
                while data := source.recv(65536):
                    drain.sendall(data)
            except OSError:
                pass
            for end in (source, drain):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


        def serve(plain):
            try:
                client = context.wrap_socket(plain, server_side=True)
            except OSError:
                return
            receiver = socket.create_connection(("127.0.0.1", int(target)))
            threading.Thread(target=copy, args=(client, receiver), daemon=True).start()
            copy(receiver, client)


        def listen(listener):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=listen, args=(listener,), daemon=True).start()
        print(listener.getsockname()[1], flush=True)
        # Ends with the test, however that ends.
        sys.stdin.read()
        """

    /// Runs while the closure runs, which gets the port for clients.
    func run<Answer>(to target: Int, _ body: (Int) async throws -> Answer) async throws -> Answer {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-W", "ignore", "-c", Self.program, certificate, key, maximum, String(target)]
        let output = Pipe()
        process.standardOutput = output
        let input = Pipe()
        process.standardInput = input
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.prefix { $0.isNumber }) else { throw CocoaError(.fileReadUnknown) }
        return try await body(port)
    }
}
