package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Makes the first message of a TLS client. */
final class Hellos {
    private Hellos() {}

    /** The first message of the JDK's own client, as it sends it. */
    static byte[] clientHello() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SSLSocket client = (SSLSocket) SSLContext.getDefault()
                        .getSocketFactory()
                        .createSocket(server.getInetAddress(), server.getLocalPort())) {
            Thread handshake = Thread.ofVirtual().start(() -> {
                try {
                    client.startHandshake();
                } catch (IOException endedByTheTest) {
                    return;
                }
            });
            try (Socket accepted = server.accept()) {
                InputStream in = accepted.getInputStream();
                byte[] header = in.readNBytes(5);
                byte[] hello = new byte[5 + (header[3] & 0xff) * 256 + (header[4] & 0xff)];
                System.arraycopy(header, 0, hello, 0, 5);
                int read = in.readNBytes(hello, 5, hello.length - 5);
                assertThat(read).isEqualTo(hello.length - 5);
                return hello;
            } finally {
                handshake.interrupt();
            }
        }
    }
}
