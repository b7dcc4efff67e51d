package io.flockgate.client.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrantsTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final StoppedTimers timers = new StoppedTimers();
    private final List<Loss> told = new ArrayList<>();
    private final Grants grants = new Grants(timers.environment());

    private Subscription held(String token, String incarnation) {
        grants.granted(token, incarnation, TTL);
        return grants.onLoss(token, told::add);
    }

    @Test
    void aGrantIsLostOnceWhenAnotherIncarnationAnswers() {
        grants.seen("a", 1, 2);
        Subscription unused = held("t", "a");

        grants.seen("a", 3, 4);
        assertThat(told).isEmpty();
        assertThat(grants.isWatched()).isTrue();

        grants.seen("b", 5, 6);
        grants.seen("c", 7, 8);
        assertThat(told).extracting(Loss::reason).containsExactly(LostReason.SERVER_RESTARTED);
        assertThat(grants.isWatched()).isFalse();
    }

    @Test
    void aServerThatDoesNotSayChangesNothing() {
        grants.seen("a", 1, 2);
        Subscription unused = held("t", "a");
        grants.granted("unsaid", null, TTL);
        Subscription unusedToo = grants.onLoss("unsaid", told::add);

        grants.seen(null, 3, 4);
        assertThat(told).isEmpty();

        grants.seen("b", 5, 6);
        assertThat(told).hasSize(1);
    }

    @Test
    void answersWhoseTimesOverlapProveNoOrder() {
        grants.seen("new", 2, 5);
        Subscription unused = held("t", "new");

        grants.seen("old", 1, 6);
        grants.seen("old", 5, 6);
        assertThat(told).isEmpty();

        grants.seen("newer", 6, 7);
        assertThat(told).hasSize(1);
    }

    @Test
    void theClockMayWrap() {
        grants.seen("a", Long.MAX_VALUE - 1, Long.MAX_VALUE);
        Subscription unused = held("t", "a");

        grants.seen("b", Long.MIN_VALUE, Long.MIN_VALUE + 1);

        assertThat(told).hasSize(1);
    }

    @Test
    void aLossBeforeTheListenerIsReportedToIt() {
        grants.seen("a", 1, 2);
        grants.granted("early", "a", TTL);
        grants.seen("b", 3, 4);
        grants.granted("late", "a", TTL);

        Subscription unused = grants.onLoss("early", told::add);
        Subscription unusedToo = grants.onLoss("late", told::add);

        assertThat(told).hasSize(2);
    }

    @Test
    void aServerThatIsUsedAgainGrantsAnew() {
        grants.seen("a", 1, 2);
        grants.seen("b", 3, 4);
        grants.seen("a", 5, 6);

        Subscription unused = held("t", "a");

        assertThat(told).isEmpty();
    }

    @Test
    void aListenerThatHasLeftHearsNothing() {
        grants.seen("a", 1, 2);
        held("t", "a").close();

        grants.seen("b", 3, 4);

        assertThat(told).isEmpty();
        assertThat(grants.isWatched()).isFalse();
        assertThat(timers.tasks).isEmpty();
    }

    @Test
    void aGrantWithoutAListenerIsForgottenWithItsTime() {
        grants.seen("a", 1, 2);
        grants.granted("t", "a", TTL);
        assertThat(grants.isWatched()).isFalse();
        timers.run();

        Subscription unused = grants.onLoss("t", told::add);
        grants.seen("b", 3, 4);

        assertThat(told).isEmpty();
    }

    @Test
    void aGrantThatIsTakenAwayIsReportedOnceAlsoBeforeItsListener() {
        grants.granted("early", null, TTL);
        grants.lost("early");
        Subscription unused = grants.onLoss("early", told::add);
        Subscription unusedToo = held("late", "a");
        grants.lost("late");
        grants.lost("late");
        grants.seen("b", 1, 2);
        grants.lost("unknown");

        assertThat(told).extracting(Loss::reason).containsExactly(LostReason.REVOKED, LostReason.REVOKED);
        assertThat(grants.isWatched()).isFalse();
    }
}
