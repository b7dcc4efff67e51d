package io.flockgate.gateway.rest.session;

import static org.assertj.core.api.Assertions.assertThat;

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
}
