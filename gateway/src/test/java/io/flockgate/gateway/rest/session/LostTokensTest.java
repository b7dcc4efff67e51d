package io.flockgate.gateway.rest.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.rest.session.HttpSessions.LostTokens;
import io.flockgate.gateway.session.LossRecipient;
import org.junit.jupiter.api.Test;

class LostTokensTest {
    private final LostTokens tokens = new LostTokens();

    private static LossRecipient client(String id) {
        return new LossRecipient("token", id);
    }

    @Test
    void areReportedOnceAndToTheirClientOnly() {
        tokens.join(client("one"));
        tokens.join(client("two"));
        tokens.add(client("one"), "a");
        tokens.add(client("one"), "b");

        assertThat(tokens.take(client("two"))).isEmpty();
        assertThat(tokens.take(client("one"))).containsExactly("a", "b");
        assertThat(tokens.take(client("one"))).isEmpty();
    }

    @Test
    void stayUntilTheLastSessionOfTheClientEnds() {
        tokens.join(client("one"));
        tokens.join(client("one"));
        tokens.add(client("one"), "a");
        tokens.leave(client("one"));
        assertThat(tokens.take(client("one"))).containsExactly("a");

        tokens.add(client("one"), "b");
        tokens.leave(client("one"));

        assertThat(tokens.clients()).isZero();
        assertThat(tokens.take(client("one"))).isEmpty();
    }

    @Test
    void ofAClientWithoutSessionsAreNotKept() {
        tokens.add(client("gone"), "a");

        assertThat(tokens.clients()).isZero();
    }

    @Test
    void areBounded() {
        tokens.join(client("one"));
        for (int i = 0; i < LostTokens.MAX_TOKENS + 50; i++) {
            tokens.add(client("one"), "token-" + i);
        }

        assertThat(tokens.take(client("one"))).hasSize(LostTokens.MAX_TOKENS);
    }

    @Test
    void ofAllClientsTogetherAreBounded() {
        int clients = LostTokens.MAX_IN_ALL / LostTokens.MAX_TOKENS + 1;
        for (int client = 0; client < clients; client++) {
            tokens.join(client("client-" + client));
            for (int i = 0; i < LostTokens.MAX_TOKENS; i++) {
                tokens.add(client("client-" + client), "token-" + i);
            }
        }
        String last = "client-" + (clients - 1);
        assertThat(tokens.take(client(last))).isEmpty();

        assertThat(tokens.take(client("client-0"))).hasSize(LostTokens.MAX_TOKENS);
        tokens.leave(client("client-1"));
        for (int i = 0; i < 2 * LostTokens.MAX_TOKENS; i++) {
            tokens.add(client(last), "token-" + i);
            tokens.add(client("client-0"), "token-" + i);
        }
        assertThat(tokens.take(client(last))).hasSize(LostTokens.MAX_TOKENS);
        assertThat(tokens.take(client("client-0"))).hasSize(LostTokens.MAX_TOKENS);
    }
}
