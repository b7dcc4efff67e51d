package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The machine was suspended, so Consul may have ended the sessions although the gateway has renewed
 * them in time.
 */
@Execution(ExecutionMode.CONCURRENT)
class UnconfirmedSessionTest extends SessionBed {
    private final AtomicInteger renewals = new AtomicInteger();

    /** Counts the renewals, which meet this fault. */
    private void renewalsMeet(Fault fault) {
        link.setFaults(request -> {
            if (request.call() != Call.RENEW_SESSION) {
                return new Fault.None();
            }
            renewals.incrementAndGet();
            return fault;
        });
    }

    private void renewalsAreRefused() {
        renewalsMeet(new Fault.Rejected(FailureKind.UNAVAILABLE));
    }

    /** Makes Consul answer again, with the next attempt to renew due. */
    private void answersAgain() {
        link.failNone();
        clock.advance(Duration.ofSeconds(1));
    }

    private void sleep(Duration time) {
        timeOfDay.addAndGet(time.toNanos());
    }

    @Test
    void aSuspendedMachineBelievesInNothingUntilItHasRenewed() {
        String own = started();
        renewalsAreRefused();
        sleep(TTL);
        assertThat(sessions.isSafe(own)).isFalse();
        assertThatThrownBy(sessions::lockSession).isInstanceOf(ConsulException.class);
        assertThatThrownBy(() -> assertThat(sessions.requireConfirmed(own)).isTrue())
                .isInstanceOf(ConsulException.class);
        assertThat(lost).isEmpty();
        answersAgain();
        Polling.until("it is safe again", () -> sessions.isSafe(own));
        assertThat(sessions.requireConfirmed(own)).isTrue();
        assertThat(sessions.lockSession()).isEqualTo(own);
        assertThat(lost).isEmpty();
    }

    /**
     * The answers of three threads that ask while the renewal for an earlier one is held up.
     *
     * @param meanwhile happens before they ask
     */
    private List<Boolean> askTogether(BooleanSupplier question, Fault held, AtomicBoolean over, Runnable meanwhile) {
        List<Boolean> found = new CopyOnWriteArrayList<>();
        renewalsMeet(held);
        Thread first = asks(question, new CopyOnWriteArrayList<>());
        Polling.until("the first asks", () -> renewals.get() == 1);
        meanwhile.run();
        List<Thread> later =
                Stream.generate(() -> asks(question, found)).limit(3).toList();
        Polling.until(
                "they wait or ask",
                () -> later.stream().allMatch(each -> each.getState() == Thread.State.BLOCKED) || renewals.get() > 1);
        over.set(true);
        Stream.concat(Stream.of(first), later.stream()).forEach(UnconfirmedSessionTest::join);
        return found;
    }

    private static Thread asks(BooleanSupplier question, List<Boolean> answers) {
        return Thread.ofPlatform().daemon().start(() -> answers.add(question.getAsBoolean()));
    }

    private static void join(Thread thread) {
        Polling.until("it has its answer", () -> !thread.isAlive());
    }

    /** The calls of many keys find the same session unsafe. */
    @Test
    void threadsThatAskAtTheSameTimeShareARenewal() {
        withoutUpkeep = true;
        String own = started();
        sleep(TTL);
        AtomicBoolean over = new AtomicBoolean();
        Fault held = Fault.heldWhile(() -> !over.get());
        assertThat(askTogether(() -> sessions.isConfirmed(own), held, over, () -> {}))
                .containsExactly(true, true, true);
        assertThat(renewals).hasValue(1);
    }

    /** The first one has asked before the session ended, if it has. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void threadsShareOnlyARenewalThatBeginsAfterTheyHaveAsked(boolean ended) {
        String own = started();
        AtomicBoolean over = new AtomicBoolean();
        Fault held = Fault.answeredAfter(() -> !over.get());
        List<Boolean> exists = askTogether(() -> sessions.exists(own), held, over, () -> {
            if (ended) {
                consul.endSession(own);
            }
        });
        assertThat(exists).containsExactly(!ended, !ended, !ended);
        assertThat(renewals).hasValue(2);
    }

    /** One of many sessions may be renewed late. */
    @Test
    void aSessionThatHasBeenRenewedWaitsForNoOther() {
        String own = started();
        String slot = sessions.takeSlotSession(id -> true);
        link.setFaults(request ->
                request.is(Call.RENEW_SESSION, slot) ? new Fault.Rejected(FailureKind.UNAVAILABLE) : new Fault.None());
        sleep(TTL);
        Polling.until("its own session is renewed", () -> sessions.isSafe(own));
        assertThat(sessions.isSafe(slot)).isFalse();
        pauses.clear();
        assertThat(sessions.lockSession()).isEqualTo(own);
        assertThat(sessions.requireConfirmed(own)).isTrue();
        assertThat(pauses).doesNotContainKey(Thread.currentThread());
    }

    @Test
    void aSessionThatHasEndedMeanwhileIsLost() {
        String own = started();
        renewalsAreRefused();
        consul.endSession(own);
        sleep(TTL.multipliedBy(2));
        answersAgain();
        Polling.until("the session is lost", () -> lost.contains(own));
        assertThat(sessions.requireConfirmed(own)).isFalse();
    }

    /** A step back has no effect, and a step forward costs one renewal. */
    @ParameterizedTest
    @ValueSource(longs = {-86_400_000, -100, 100, 9_000, 86_400_000})
    void aClockThatIsSetTakesNothingAway(long millis) {
        String own = started();
        renewalsMeet(new Fault.None());
        sleep(Duration.ofMillis(millis));
        Polling.until("it is safe", () -> sessions.isSafe(own));
        assertThat(sessions.lockSession()).isEqualTo(own);
        assertThat(sessions.isSafe(own)).isTrue();
        assertThat(renewals.get()).isLessThanOrEqualTo(millis < 0 ? 0 : 1);
        assertThat(lost).isEmpty();
    }

    /**
     * It could be of another Consul than the gateway's own session, whose end the gateway has not
     * seen.
     */
    @Test
    void aSlotSessionIsUsedOnlyIfConsulHasTheGatewaysOwn() {
        String own = started();
        link.failNext(Call.CREATE_SESSION, new Fault.Before(() -> consul.endSession(own)));
        String slot = sessions.takeSlotSession(id -> true);
        assertThat(lost).containsExactly(own);
        Polling.until("the first one has ended", () -> consul.sessions().size() == 2);
        assertThat(consul.sessions()).containsExactlyInAnyOrder(sessions.lockSession(), slot);
    }
}
