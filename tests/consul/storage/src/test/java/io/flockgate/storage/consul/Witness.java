package io.flockgate.storage.consul;

import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Counts externally how many visitors are inside at one moment. A visit takes real time, so that
 * visits can overlap. Threads of this process enter and leave; other processes connect and are
 * inside until a line is sent to them, but count as having left before it is sent.
 */
final class Witness implements AutoCloseable {
    private final ScriptedServer server = ScriptedServer.ofConnections(this::see);
    private final long stayMillis;
    private int inside;
    private int most;
    private int entries;
    private int processes;

    Witness(long stayMillis) {
        this.stayMillis = stayMillis;
    }

    /** A command that is briefly inside and then exits with 0. */
    List<String> visit() {
        return List.of("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + server.port() + " && read -r line <&3");
    }

    private void see(Socket visitor) throws IOException {
        synchronized (this) {
            processes++;
        }
        enter();
        pause(stayMillis);
        leave();
        visitor.getOutputStream().write("bye\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Makes a thread of this process visit briefly. */
    void visitHere() {
        enter();
        pause(stayMillis);
        leave();
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private synchronized void enter() {
        entries++;
        inside++;
        most = Math.max(most, inside);
    }

    private synchronized void leave() {
        inside--;
    }

    synchronized int most() {
        return most;
    }

    synchronized int visitsOfProcesses() {
        return processes;
    }

    synchronized int visitsHere() {
        return entries - processes;
    }

    @Override
    public void close() {
        server.close();
    }
}
