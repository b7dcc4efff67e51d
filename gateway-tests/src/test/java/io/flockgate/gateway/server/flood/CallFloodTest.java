package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Requests of the REST API that wait behind a long poll of their session, from clients that
 * disconnect at once.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class CallFloodTest {
    private static final int SESSIONS = 4;
    private static final int ROUNDS = 20;
    private static final int CLIENTS = 1_250;

    @Test
    void callsOfVanishedClients() throws Exception {
        String token = "{\"token\":\"" + "0".repeat(32) + "\"}";
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("calls of vanished clients", () -> {
                List<LineClient> polls = new ArrayList<>();
                List<String> sessions = new ArrayList<>();
                try (LineClient holder = gateway.client()) {
                    assertThat(holder.lock("held", 0, 600).token()).isNotEmpty();
                    for (int i = 0; i < SESSIONS; i++) {
                        LineClient poll = gateway.http();
                        polls.add(poll);
                        sessions.add(FloodedGateway.session(poll));
                        poll.send(FloodedGateway.post(
                                "/v1/locks/held",
                                "X-Dflockd-Session: " + sessions.get(i) + "\r\n",
                                "{\"acquire_timeout_s\":600}"));
                    }
                    holder.awaitWaiters("held", SESSIONS);
                    for (int round = 0; round < ROUNDS; round++) {
                        byte[] release = Crowd.bytes(FloodedGateway.post(
                                "/v1/locks/" + "k".repeat(256) + "/release",
                                "X-Dflockd-Session: " + sessions.get(round % SESSIONS) + "\r\n",
                                token));
                        try (Crowd crowd = Crowd.of(gateway.httpPort(), CLIENTS)) {
                            long unused = crowd.offer(release, release.length);
                        }
                        // Waits until only the clients above and their sessions remain, because
                        // more connections would be refused.
                        gateway.awaitClients(2 + 2 * SESSIONS);
                    }
                    gateway.awaitRefusal("overloaded");
                }
                for (LineClient poll : polls) {
                    poll.close();
                }
                for (String session : sessions) {
                    gateway.endSession(session);
                }
            });
        }
    }
}
