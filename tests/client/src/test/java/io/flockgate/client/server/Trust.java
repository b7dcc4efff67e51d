package io.flockgate.client.server;

import io.flockgate.testsupport.Repository;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** The certificates of the gateway's tests. */
final class Trust {
    private Trust() {}

    static Path file(String name) {
        return Repository.file("tests/gateway/src/test/resources/test-only-tls").resolve(name);
    }

    /** Trust in this certificate alone. */
    static SSLContext in(String certificate) throws Exception {
        return io.flockgate.client.support.Trust.ofFile(file(certificate));
    }

    /**
     * Performs a handshake with a server, which loads the code on both sides, because the first one
     * takes long on a busy machine.
     */
    static void warm(String certificate, int port) throws Exception {
        try (SSLSocket socket = (SSLSocket) in(certificate).getSocketFactory().createSocket("localhost", port)) {
            socket.startHandshake();
        }
    }
}
