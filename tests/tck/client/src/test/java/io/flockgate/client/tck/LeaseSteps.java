package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import io.flockgate.client.tck.ScriptedBackend.Call;
import io.flockgate.testsupport.RecordedLog;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One lease over a scripted back end, on a manual clock. Its ttl is 30 s: alive for 27 s, renewed
 * after 9 to 11 s.
 *
 * <p>Plays the steps of a lease's decisions, which are separated by semicolons or lines.
 *
 * <ul>
 *   <li>{@code acquire a 60} claims with a wait of 60 s, {@code held one} with an answer at once;
 *       {@code release}, {@code close}, {@code cancel}, {@code timeout} and {@code ensure} are the
 *       caller's other calls.
 *   <li>{@code a = one} is the result of a call: open, empty, done, true, false, a token, or a
 *       failure. It is unknown if a slot may be held, and unavailable if not.
 *   <li>{@code grant}, {@code refuse}, {@code renew}, {@code reject}, {@code released} and {@code
 *       fail} answer the last call to the server, {@code renew former} the last but one.
 *   <li>{@code 5 s} lets time pass; {@code stall} does so without timers, and {@code wall} moves
 *       only the wall clock.
 *   <li>{@code break throws} lets each call of the back end throw, and so on, until {@code mend};
 *       {@code disturb} lets the observer throw. {@code shut 5} closes the provider.
 *   <li>{@code on a} registers a handler of losses, which {@code off a} removes; some do more than
 *       to be called, which {@code told} lists.
 *   <li>{@code seen} is the next notification of an observer, or that there is none. {@code lost}
 *       lists the losses so far, {@code cause} is what caused the last, {@code left} the remaining
 *       time, {@code back} the token of the last release, {@code line} a part of the last line of
 *       the log, and the other nouns count calls, timers, listeners and lines.
 * </ul>
 */
abstract class LeaseSteps {
    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    /** The wall clock counts milliseconds, and a deadline by it is rounded down. */
    static final Duration MILLISECONDS = Duration.ofMillis(3);

    final ManualEnvironment clock = new ManualEnvironment();
    final ScriptedBackend server = new ScriptedBackend();
    final List<String> lines = new ArrayList<>();
    final LeaseProvider leases = Flockgate.provider(
            server, clock.environment().observer(new Recorder()).loggers(topic -> new RecordedLog(topic, lines)));
    final Lease lease;
    final List<LostEvent> events = new ArrayList<>();

    /** What an observer is notified of, which may throw each time. */
    final Deque<String> observed = new ArrayDeque<>();

    boolean observerThrows;

    private final class Recorder implements LeaseObserver {
        private void add(String news) {
            observed.add(news);
            if (observerThrows) {
                throw new AssertionError("thrown by the test");
            }
        }

        @Override
        public void acquired(String name, AcquireOutcome outcome, Duration time) {
            add("acquired " + outcome + ":" + time.toSeconds());
        }

        @Override
        public void renewed(String name, RenewOutcome outcome, Duration time) {
            add("renewed " + outcome + ":" + time.toSeconds());
        }

        @Override
        public void began(String name, LeaseGrant grant) {
            add("began " + grant.token());
        }

        @Override
        public void ended(String name, LeaseGrant grant) {
            add("ended " + grant.token());
        }

        @Override
        public void lost(LostEvent event) {
            add("lost " + event.reason());
        }

        @Override
        public void handlerFailed(String name, Throwable failure) {
            add("failed " + failure.getMessage());
        }
    }

    private final Map<String, CompletionStage<?>> results = new HashMap<>();
    private final Map<String, Subscription> handlers = new HashMap<>();
    private final List<String> told = new ArrayList<>();
    private Lease used;
    private @Nullable LeaseGrant grant;

    LeaseSteps() {
        lease = leases.lease(LeaseOptions.named("job").ttl(TTL).build());
        lease.onLost(events::add);
        used = lease;
    }

    /** Plays steps; a failure names the title and the step. */
    final void play(String title, String steps) {
        for (String step : steps.strip().split("\\s*[;\n]\\s*", -1)) {
            String[] words = (step + "  ").split(" ", 4);
            try {
                if (words[1].equals("s")) {
                    clock.advance(time(words[0]));
                } else if (words[1].equals("=")) {
                    assertThat(outcome(result(words[0]))).isEqualTo(words[2]);
                } else if (words[0].equals("told")) {
                    assertThat(String.join(" ", told))
                            .isEqualTo(step.substring("told".length()).strip());
                } else if (words[0].equals("line")) {
                    assertThat(ScriptedBackend.last(lines)).containsPattern(step.substring("line ".length()));
                } else {
                    call(words[0], words[1], words[2]);
                }
            } catch (RuntimeException | AssertionError failed) {
                throw new AssertionError(title + ": " + step, failed);
            }
        }
    }

    private static Duration time(String seconds) {
        BigDecimal exact = new BigDecimal(seconds.isEmpty() ? "0" : seconds);
        long whole = exact.longValue();
        return Duration.ofSeconds(
                whole,
                exact.subtract(BigDecimal.valueOf(whole)).movePointRight(9).longValueExact());
    }

    /** The result of the call with this name. */
    final CompletionStage<?> result(String name) {
        return Objects.requireNonNull(results.get(name), name);
    }

    private static String outcome(CompletionStage<?> stage) {
        CompletableFuture<?> result = stage.toCompletableFuture();
        if (!result.isDone()) {
            return "open";
        } else if (result.isCompletedExceptionally()) {
            Throwable failure = failure(result);
            return failure instanceof LeaseUnavailableException unknown
                    ? unknown.mayHold() ? "unknown" : "unavailable"
                    : failure.getClass().getSimpleName();
        }
        Object value = result.join();
        return value instanceof Optional<?> given
                ? given.map(held -> ((LeaseGrant) held).token()).orElse("empty")
                : value == null ? "done" : value.toString();
    }

    private void call(String word, String name, String time) {
        switch (word) {
            case "blind" ->
                used = leases.lease(
                        LeaseOptions.named("other").ttl(TTL).wallClock(false).build());
            case "held" -> {
                CompletionStage<Optional<LeaseGrant>> acquire = used.acquire(Duration.ZERO);
                server.grant(name);
                grant = now(acquire).orElseThrow();
            }
            case "acquire" -> results.put(name, used.acquire(time(time)));
            case "release" -> results.put(name, used.release());
            case "close" -> results.put(name, used.closeAsync());
            case "ensure" -> results.put(name, Objects.requireNonNull(grant).ensure(time(time)));
            case "break" -> server.fault = name;
            case "mend" -> server.fault = "";
            case "shut" -> leases.close(time(name));
            case "disturb" -> observerThrows = true;
            case "on" -> handlers.put(name, used.onLost(event -> handle(name)));
            case "off" -> Objects.requireNonNull(handlers.get(name), name).close();
            case "cancel" -> result(name).toCompletableFuture().cancel(true);
            case "timeout" ->
                result(name).toCompletableFuture().completeExceptionally(new TimeoutException("as orTimeout does"));
            default -> answer(word, name, time);
        }
    }

    private void handle(String name) {
        told.add(used.checkAlive() || used.current().isPresent() ? name + " too early" : name);
        switch (name) {
            case "throws" -> throw new IllegalStateException(name);
            case "fails" -> throw new AssertionError(name);
            case "sneaks" -> LeaseSteps.<RuntimeException>sneak(new Exception(name));
            case "leaves" -> handlers.values().forEach(Subscription::close);
            case "adds" -> handlers.put("added", used.onLost(event -> handle("added")));
            case "returns" -> {
                now(used.release());
                results.put(name, used.acquireWithToken());
            }
            default -> {}
        }
    }

    /** Throws a checked exception as other JVM languages do. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private void answer(String word, String what, String how) {
        switch (word) {
            case "grant" -> server.grant(what, how.isEmpty() ? TTL : time(how));
            case "refuse" -> server.refuse();
            case "renew" -> renew(what);
            case "reject" -> server.reject();
            case "released" -> server.release();
            case "fail" -> ScriptedBackend.last(calls(what)).answer().completeExceptionally(failureOf(how));
            case "revoke" ->
                server.listeners
                        .get(what.equals("first") ? 0 : server.listeners.size() - 1)
                        .accept(Loss.of(LostReason.REVOKED, "revoked by the test"));
            case "stall" -> clock.stall(time(what));
            case "wall" -> clock.jumpWall(time(what));
            case "until" -> untilRenewal();
            default -> check(word, what, how);
        }
    }

    private void renew(String what) {
        if (what.isEmpty()) {
            server.renew();
        } else if (what.equals("former")) {
            server.renew(server.renewals.get(server.renewals.size() - 2));
        } else {
            ScriptedBackend.last(server.renewals).answer().complete(new RenewResult.Renewed(time(what)));
        }
    }

    private List<? extends Call<?, ?>> calls(String kind) {
        return kind.startsWith("claim")
                ? server.acquires
                : kind.startsWith("renewal") ? server.renewals : server.releases;
    }

    private static RuntimeException failureOf(String how) {
        return switch (how) {
            case "auth" -> new LeaseAuthException("wrong token");
            case "closed" -> new LeaseClosedException("closed by the test");
            default -> new LeaseUnavailableException("failed by the test", true, null);
        };
    }

    private void check(String word, String first, String second) {
        switch (word) {
            case "alive" -> {
                assertThat(used.checkAlive()).isTrue();
                assertThat(used.current()).isPresent();
            }
            case "dead" -> {
                assertThat(used.remaining()).isZero();
                assertThat(used.checkAlive()).isFalse();
                assertThat(used.current()).isEmpty();
                assertThat(grant != null && grant.isAlive()).isFalse();
            }
            case "left" ->
                assertThat(used.remaining())
                        .isCloseTo(
                                time(second.isEmpty() ? first : second),
                                second.isEmpty() ? Duration.ZERO : MILLISECONDS);
            case "lost" -> checkLosses(first);
            case "cause" ->
                assertThat(ScriptedBackend.last(events)
                                .cause()
                                .map(cause -> cause.getClass().getSimpleName())
                                .orElse("none"))
                        .isEqualTo(first);
            case "lines" -> assertThat(lines).hasSize(Integer.parseInt(first));
            case "seen" ->
                assertThat(observed.isEmpty() ? "" : observed.remove()).isEqualTo((first + " " + second).strip());
            case "abandoned" ->
                assertThat(ScriptedBackend.last(server.abandonments).toCompletableFuture())
                        .isDone();
            case "back" ->
                assertThat(ScriptedBackend.last(server.releases).request().token())
                        .isEqualTo(first);
            case "claims", "renewals", "releases" -> assertThat(calls(word)).hasSize(Integer.parseInt(first));
            case "timers" -> assertThat(clock.pendingTimers()).isEqualTo(Integer.parseInt(first));
            case "listeners" -> assertThat(server.subscriptions()).isEqualTo(Integer.parseInt(first));
            default -> throw new AssertionError("there is no such step");
        }
    }

    private void checkLosses(String reason) {
        List<LostReason> expected = reason.isEmpty() ? List.of() : List.of(LostReason.valueOf(reason));
        assertThat(events).extracting(LostEvent::reason).containsExactlyElementsOf(expected);
        for (LostEvent event : events) {
            assertThat(event.grant().isAlive())
                    .isEqualTo(event.reason() == LostReason.BACKEND_CLOSED && used.checkAlive());
            assertThat(now(event.grant().lost())).isSameAs(event);
        }
        if (events.isEmpty() && grant != null) {
            assertThat(grant.lost().toCompletableFuture()).isNotDone();
        }
    }

    /** The value of a stage that is complete. */
    static <T> T now(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isCompleted();
        return stage.toCompletableFuture().join();
    }

    /** The failure of a stage that has failed. */
    static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
            throw new AssertionError("no failure");
        } catch (CompletionException failed) {
            return Objects.requireNonNull(failed.getCause());
        }
    }

    /** Lets time pass until the next renewal is sent. */
    void untilRenewal() {
        int before = server.renewals.size();
        for (int i = 0; server.renewals.size() == before; i++) {
            assertThat(i).as("milliseconds without a renewal").isLessThan(30_000);
            clock.advance(Duration.ofMillis(1));
        }
    }
}
