package io.flockgate.gateway.server;

import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;

/** Checks whether a port accepts connections. */
public final class Refusal {
    private Refusal() {}

    /** Waits until connections are refused; those still accepted are closed again. */
    public static void await(int port) throws IOException {
        boolean unused = Polling.until(() -> isRefused(InetAddress.getLoopbackAddress(), port), refused -> refused);
    }

    /**
     * Whether a port of this address refuses connections.
     *
     * @param address an address that only this test uses; on a shared one, another test's server
     *     may have taken the port
     */
    public static boolean isRefused(InetAddress address, int port) throws IOException {
        try (Socket socket = new Socket(address, port)) {
            // Without a listener, the kernel can pick this port as the local one: connected to itself.
            return socket.getLocalPort() == port;
        } catch (ConnectException e) {
            return true;
        } catch (SocketException e) {
            // Reset while connecting: the port is being closed, but is not closed yet.
            return false;
        }
    }
}
