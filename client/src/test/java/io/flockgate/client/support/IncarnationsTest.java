package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IncarnationsTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final List<Runnable> timers = new ArrayList<>();
    private final List<Loss> losses = new ArrayList<>();
    private final Incarnations incarnations = new Incarnations(new LeaseEnvironment(
            () -> 0, InstantSource.fixed(Instant.EPOCH), this::later, Runnable::run, new Random(1)));

    private Subscription later(Duration delay, Runnable task) {
        timers.add(task);
        return () -> timers.remove(task);
    }

    private Subscription held(String token, String incarnation) {
        incarnations.granted(token, incarnation, TTL);
        return incarnations.onLoss(token, losses::add);
    }

    @Test
    void aGrantIsLostOnceWhenAnotherIncarnationAnswers() {
        incarnations.seen("a", 1, 2);
        Subscription unused = held("t", "a");

        incarnations.seen("a", 3, 4);
        assertThat(losses).isEmpty();
        assertThat(incarnations.isWatched()).isTrue();

        incarnations.seen("b", 5, 6);
        incarnations.seen("c", 7, 8);
        assertThat(losses).extracting(Loss::reason).containsExactly(LostReason.SERVER_RESTARTED);
        assertThat(incarnations.isWatched()).isFalse();
    }

    @Test
    void aServerThatDoesNotSayChangesNothing() {
        incarnations.seen("a", 1, 2);
        Subscription unused = held("t", "a");
        incarnations.granted("unsaid", null, TTL);
        Subscription unusedToo = incarnations.onLoss("unsaid", losses::add);

        incarnations.seen(null, 3, 4);
        assertThat(losses).isEmpty();

        incarnations.seen("b", 5, 6);
        assertThat(losses).hasSize(1);
    }

    @Test
    void answersWhoseTimesOverlapProveNoOrder() {
        incarnations.seen("new", 2, 5);
        Subscription unused = held("t", "new");

        incarnations.seen("old", 1, 6);
        incarnations.seen("old", 5, 6);
        assertThat(losses).isEmpty();

        incarnations.seen("newer", 6, 7);
        assertThat(losses).hasSize(1);
    }

    @Test
    void theClockMayWrap() {
        incarnations.seen("a", Long.MAX_VALUE - 1, Long.MAX_VALUE);
        Subscription unused = held("t", "a");

        incarnations.seen("b", Long.MIN_VALUE, Long.MIN_VALUE + 1);

        assertThat(losses).hasSize(1);
    }

    @Test
    void aLossBeforeTheListenerIsReportedToIt() {
        incarnations.seen("a", 1, 2);
        incarnations.granted("early", "a", TTL);
        incarnations.seen("b", 3, 4);
        incarnations.granted("late", "a", TTL);

        Subscription unused = incarnations.onLoss("early", losses::add);
        Subscription unusedToo = incarnations.onLoss("late", losses::add);

        assertThat(losses).hasSize(2);
    }

    @Test
    void aServerThatIsUsedAgainGrantsAnew() {
        incarnations.seen("a", 1, 2);
        incarnations.seen("b", 3, 4);
        incarnations.seen("a", 5, 6);

        Subscription unused = held("t", "a");

        assertThat(losses).isEmpty();
    }

    @Test
    void aListenerThatHasLeftHearsNothing() {
        incarnations.seen("a", 1, 2);
        held("t", "a").close();

        incarnations.seen("b", 3, 4);

        assertThat(losses).isEmpty();
        assertThat(incarnations.isWatched()).isFalse();
        assertThat(timers).isEmpty();
    }

    @Test
    void aGrantWithoutAListenerIsForgottenWithItsTime() {
        incarnations.seen("a", 1, 2);
        incarnations.granted("t", "a", TTL);
        assertThat(incarnations.isWatched()).isFalse();
        List.copyOf(timers).forEach(Runnable::run);

        Subscription unused = incarnations.onLoss("t", losses::add);
        incarnations.seen("b", 3, 4);

        assertThat(losses).isEmpty();
    }

    @Test
    void onlyAWordIsAnIncarnation() {
        assertThat(Incarnations.valid("0f-A_z")).isEqualTo("0f-A_z");
        assertThat(Incarnations.valid("x".repeat(64))).isNotNull();
        assertThat(Incarnations.valid("x".repeat(65))).isNull();
        assertThat(Incarnations.valid("a b")).isNull();
        assertThat(Incarnations.valid("")).isNull();
        assertThat(Incarnations.valid(null)).isNull();
    }
}
