package io.flockgate.client.tcp;

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

class LossesTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final List<Runnable> timers = new ArrayList<>();
    private final List<Loss> told = new ArrayList<>();
    private final Losses losses = new Losses(new LeaseEnvironment(
            () -> 0, InstantSource.fixed(Instant.EPOCH), this::later, Runnable::run, new Random(1)));

    private Subscription later(Duration delay, Runnable task) {
        timers.add(task);
        return () -> timers.remove(task);
    }

    private Subscription held(String token, String incarnation) {
        losses.granted(token, incarnation, TTL);
        return losses.onLoss(token, told::add);
    }

    @Test
    void aGrantIsLostOnceWhenAnotherIncarnationAnswers() {
        losses.seen("a", 1, 2);
        Subscription unused = held("t", "a");

        losses.seen("a", 3, 4);
        assertThat(told).isEmpty();
        assertThat(losses.isWatched()).isTrue();

        losses.seen("b", 5, 6);
        losses.seen("c", 7, 8);
        assertThat(told).extracting(Loss::reason).containsExactly(LostReason.SERVER_RESTARTED);
        assertThat(losses.isWatched()).isFalse();
    }

    @Test
    void aServerThatDoesNotSayChangesNothing() {
        losses.seen("a", 1, 2);
        Subscription unused = held("t", "a");
        losses.granted("unsaid", null, TTL);
        Subscription unusedToo = losses.onLoss("unsaid", told::add);

        losses.seen(null, 3, 4);
        assertThat(told).isEmpty();

        losses.seen("b", 5, 6);
        assertThat(told).hasSize(1);
    }

    @Test
    void answersWhoseTimesOverlapProveNoOrder() {
        losses.seen("new", 2, 5);
        Subscription unused = held("t", "new");

        losses.seen("old", 1, 6);
        losses.seen("old", 5, 6);
        assertThat(told).isEmpty();

        losses.seen("newer", 6, 7);
        assertThat(told).hasSize(1);
    }

    @Test
    void theClockMayWrap() {
        losses.seen("a", Long.MAX_VALUE - 1, Long.MAX_VALUE);
        Subscription unused = held("t", "a");

        losses.seen("b", Long.MIN_VALUE, Long.MIN_VALUE + 1);

        assertThat(told).hasSize(1);
    }

    @Test
    void aLossBeforeTheListenerIsReportedToIt() {
        losses.seen("a", 1, 2);
        losses.granted("early", "a", TTL);
        losses.seen("b", 3, 4);
        losses.granted("late", "a", TTL);

        Subscription unused = losses.onLoss("early", told::add);
        Subscription unusedToo = losses.onLoss("late", told::add);

        assertThat(told).hasSize(2);
    }

    @Test
    void aServerThatIsUsedAgainGrantsAnew() {
        losses.seen("a", 1, 2);
        losses.seen("b", 3, 4);
        losses.seen("a", 5, 6);

        Subscription unused = held("t", "a");

        assertThat(told).isEmpty();
    }

    @Test
    void aListenerThatHasLeftHearsNothing() {
        losses.seen("a", 1, 2);
        held("t", "a").close();

        losses.seen("b", 3, 4);

        assertThat(told).isEmpty();
        assertThat(losses.isWatched()).isFalse();
        assertThat(timers).isEmpty();
    }

    @Test
    void aGrantWithoutAListenerIsForgottenWithItsTime() {
        losses.seen("a", 1, 2);
        losses.granted("t", "a", TTL);
        assertThat(losses.isWatched()).isFalse();
        List.copyOf(timers).forEach(Runnable::run);

        Subscription unused = losses.onLoss("t", told::add);
        losses.seen("b", 3, 4);

        assertThat(told).isEmpty();
    }

    @Test
    void aGrantThatIsTakenAwayIsReportedOnceAlsoBeforeItsListener() {
        losses.granted("early", null, TTL);
        losses.lost("early");
        Subscription unused = losses.onLoss("early", told::add);
        Subscription unusedToo = held("late", "a");
        losses.lost("late");
        losses.lost("late");
        losses.seen("b", 1, 2);
        losses.lost("unknown");

        assertThat(told).extracting(Loss::reason).containsExactly(LostReason.REVOKED, LostReason.REVOKED);
        assertThat(losses.isWatched()).isFalse();
    }

    @Test
    void onlyAWordIsAnIncarnation() {
        assertThat(Losses.valid("0f-A_z")).isEqualTo("0f-A_z");
        assertThat(Losses.valid("x".repeat(64))).isNotNull();
        assertThat(Losses.valid("x".repeat(65))).isNull();
        assertThat(Losses.valid("a b")).isNull();
        assertThat(Losses.valid("")).isNull();
        assertThat(Losses.valid(null)).isNull();
    }
}
