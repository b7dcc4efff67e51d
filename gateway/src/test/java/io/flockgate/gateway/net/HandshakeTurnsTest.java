package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandshakeTurnsTest {
    private final HandshakeTurns turns = new HandshakeTurns(1);
    private final List<String> begun = new ArrayList<>();

    private Runnable turn(String name) {
        return () -> begun.add(name);
    }

    @Test
    void theOthersWaitInOrderBehindThoseThatHaveBegunTheirHandshake() {
        turns.await(turn("first"), false);
        turns.await(turn("second"), false);
        turns.await(turn("third"), false);
        turns.await(turn("ahead"), true);
        assertThat(begun).containsExactly("first");
        for (int i = 0; i < 4; i++) {
            turns.end();
        }
        assertThat(begun).containsExactly("first", "ahead", "second", "third");
        turns.await(turn("last"), false);
        assertThat(begun).endsWith("last");
    }

    @Test
    void whatIsForgottenTakesNoTurn() {
        Runnable gone = turn("gone");
        turns.await(turn("first"), false);
        turns.await(gone, false);
        turns.await(turn("second"), false);
        turns.forget(gone);
        turns.end();
        assertThat(begun).containsExactly("first", "second");
    }
}
