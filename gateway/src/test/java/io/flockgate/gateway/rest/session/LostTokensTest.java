package io.flockgate.gateway.rest.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.rest.session.HttpSessions.LostTokens;
import org.junit.jupiter.api.Test;

class LostTokensTest {
    private final LostTokens tokens = new LostTokens();

    @Test
    void areReportedOnceAndToTheirClientOnly() {
        tokens.join("one");
        tokens.join("two");
        tokens.add("one", "a");
        tokens.add("one", "b");

        assertThat(tokens.take("two")).isEmpty();
        assertThat(tokens.take("one")).containsExactly("a", "b");
        assertThat(tokens.take("one")).isEmpty();
    }

    @Test
    void stayUntilTheLastSessionOfTheClientEnds() {
        tokens.join("one");
        tokens.join("one");
        tokens.add("one", "a");
        tokens.leave("one");
        assertThat(tokens.take("one")).containsExactly("a");

        tokens.add("one", "b");
        tokens.leave("one");

        assertThat(tokens.clients()).isZero();
        assertThat(tokens.take("one")).isEmpty();
    }

    @Test
    void ofAClientWithoutSessionsAreNotKept() {
        tokens.add("gone", "a");

        assertThat(tokens.clients()).isZero();
    }

    @Test
    void areBounded() {
        tokens.join("one");
        for (int i = 0; i < LostTokens.MAX_TOKENS + 50; i++) {
            tokens.add("one", "token-" + i);
        }

        assertThat(tokens.take("one")).hasSize(LostTokens.MAX_TOKENS);
    }

    @Test
    void ofAllClientsTogetherAreBounded() {
        int clients = LostTokens.MAX_IN_ALL / LostTokens.MAX_TOKENS + 1;
        for (int client = 0; client < clients; client++) {
            tokens.join("client-" + client);
            for (int i = 0; i < LostTokens.MAX_TOKENS; i++) {
                tokens.add("client-" + client, "token-" + i);
            }
        }
        String last = "client-" + (clients - 1);
        assertThat(tokens.take(last)).isEmpty();

        assertThat(tokens.take("client-0")).hasSize(LostTokens.MAX_TOKENS);
        tokens.leave("client-1");
        for (int i = 0; i < 2 * LostTokens.MAX_TOKENS; i++) {
            tokens.add(last, "token-" + i);
            tokens.add("client-0", "token-" + i);
        }
        assertThat(tokens.take(last)).hasSize(LostTokens.MAX_TOKENS);
        assertThat(tokens.take("client-0")).hasSize(LostTokens.MAX_TOKENS);
    }
}
