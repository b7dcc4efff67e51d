package io.flockgate.gateway.session;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.Dialogue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.gateway.session.ScriptedStorage.ClaimCall;
import io.flockgate.gateway.session.ScriptedStorage.Script;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Plays a session on a scripted storage and an event loop of the test. A script is a {@link
 * Dialogue}: a step lists everything that the session has done by its end, its calls to the storage
 * and its answers.
 *
 * <pre>
 * waitFor k 10; 10s -> leave k@1; leave: LEFT -> TIMEOUT
 * </pre>
 *
 * <ul>
 *   <li>Requests: {@code acquire k 10}, {@code enqueue k}, {@code await k 10}, {@code release k#1},
 *       {@code renew k#1 60}. {@code k#1} is the grant of the key {@code k} with the fence 1,
 *       {@code k@1} its place in the queue.
 *   <li>Requests with their answers, which the script does not list: {@code hold k} and {@code
 *       enqueueFree k} get a free key, {@code waitFor k 10} and {@code enqueueBehind k} a place.
 *   <li>Answers of the storage to its oldest open call, or else to the next one: {@code claim:
 *       free}, {@code claim: queue}, {@code leave: LEFT}, {@code release: RELEASED}, {@code renew:
 *       RENEWED} and other outcomes; {@code fails UNKNOWN}, {@code breaks} and {@code throws}
 *       instead of an outcome.
 *   <li>Notifications: {@code grant k@1}, {@code end k#1 LOST}, {@code remove k@1}, {@code fail k@1
 *       UNKNOWN}. {@code place k} and {@code make k@1} make a place and a grant of which {@code
 *       claim: k@1} and {@code tell k@1 k#1} notify the session later.
 *   <li>Time: {@code 10s} passes, or the event loop stalls for that long, {@code stall 10s}.
 * </ul>
 *
 * <p>After each step the event loop runs, except after {@code ~}. {@code elsewhere} carries a step
 * out on another thread.
 */
public abstract class Play {
    public static final long LEASE = 33;

    private static final Pattern CHOICE = Pattern.compile("\\{([^}]*)}");

    public final FakeEventLoop loop;
    public final ScriptedStorage storage;
    private final Map<String, Ticket> tickets = new HashMap<>();
    private final Map<String, Grant> grants = new HashMap<>();
    private final Map<String, Claimant> claimants = new HashMap<>();
    private final Set<StorageException> failures = new HashSet<>();
    private int seen;

    protected Play(FakeEventLoop loop, ScriptedStorage storage) {
        this.loop = loop;
        this.storage = storage;
        this.seen = storage.journal.size();
    }

    /** A script with its title. */
    public record Scenario(String title, String script) {
        @Override
        public String toString() {
            return title;
        }
    }

    /**
     * The scripts of a text, each below a title that is not indented. <code>{A|B}</code> makes one
     * script of A and one of B.
     */
    public static Stream<Scenario> scenarios(String text) {
        return Arrays.stream(text.split("\n(?=\\S)", -1)).flatMap(scenario -> {
            int end = scenario.indexOf('\n');
            String script = scenario.substring(end);
            Matcher choice = CHOICE.matcher(script);
            int choices = choice.find() ? choice.group(1).split("\\|", -1).length : 1;
            return IntStream.range(0, choices)
                    .mapToObj(i -> CHOICE.matcher(script)
                            .replaceAll(found -> found.group(1).split("\\|", -1)[i]))
                    .map(chosen -> new Scenario(scenario.substring(0, end), chosen));
        });
    }

    /** Plays a script and compares what the session does. */
    public final void play(String script) {
        Dialogue.play(script, step -> {
            carryOut(step);
            return taken(step.contains("close"));
        });
    }

    private void carryOut(String step) {
        String[] words = step.replace("~", "").split(" ", -1);
        if (words[0].equals("elsewhere")) {
            Client.elsewhere(() -> act(Arrays.copyOfRange(words, 1, words.length)));
        } else {
            act(words);
        }
        if (!step.startsWith("~") && !words[0].equals("stall")) {
            turn();
        }
    }

    /** Runs what is posted. */
    protected abstract void turn();

    /** Carries out a step that needs the session. */
    protected abstract void ask(String[] words);

    private void act(String[] words) {
        switch (words[0]) {
            case "turn" -> {}
            case "claim:" -> answer(storage.claims, words, call -> claimed(call, words[1]));
            case "leave:" -> answer(storage.leaves, words, call -> LeaveOutcome.valueOf(words[1]));
            case "release:" -> answer(storage.releases, words, call -> ReleaseOutcome.valueOf(words[1]));
            case "renew:" -> answer(storage.renewals, words, call -> RenewOutcome.valueOf(words[1]));
            case "place" -> place(storage.claims.last());
            case "make" -> make(words[1]);
            case "grant" -> claimant(words[1]).granted(ticket(words[1]), make(words[1]));
            case "tell" -> claimant(words[1]).granted(ticket(words[1]), grant(words[2]));
            case "remove" -> claimant(words[1]).removed(ticket(words[1]));
            case "fail" -> claimant(words[1]).failed(ticket(words[1]), failure(words[2]));
            case "end" -> claimant(words[1]).ended(grant(words[1]), Ending.valueOf(words[2]));
            case "stall" -> loop.stall(time(words[1]));
            case "hold" -> setUp("claim: free", "acquire " + words[1] + " 0");
            case "waitFor" -> setUp("claim: queue", "acquire " + words[1] + " " + words[2]);
            case "enqueueFree" -> setUp("claim: free", "enqueue " + words[1]);
            case "enqueueBehind" -> setUp("claim: queue", "enqueue " + words[1]);
            default -> {
                if (Character.isDigit(words[0].charAt(0))) {
                    loop.pass(time(words[0]));
                } else {
                    ask(words);
                }
            }
        }
    }

    protected final void setUp(String... steps) {
        for (String step : steps) {
            act(step.split(" ", -1));
        }
        seen = storage.journal.size();
    }

    private <Q, A> void answer(Script<Q, A> calls, String[] words, Function<Q, A> outcome) {
        switch (words[1]) {
            case "fails" -> {
                StorageException failure = failure(words[2]);
                calls.give(call -> Future.failedFuture(failure));
            }
            case "breaks" -> calls.give(call -> Future.failedFuture(new IllegalStateException("broken")));
            case "throws" -> calls.readyThrow(new IllegalStateException("broken"));
            default -> calls.give(call -> Future.succeededFuture(outcome.apply(call)));
        }
    }

    private ClaimOutcome claimed(ClaimCall call, String word) {
        return switch (word) {
            case "free" -> new Held(made(call.claim().key(), call.claimant()));
            case "queue" -> new Queued(place(call));
            default -> word.contains("@") ? new Queued(ticket(word)) : Refusal.valueOf(word);
        };
    }

    @CanIgnoreReturnValue
    private Ticket place(ClaimCall call) {
        Ticket ticket = storage.queued(call.claim().key().toString()).ticket();
        tickets.put(ticket.toString(), ticket);
        claimants.put(ticket.toString(), call.claimant());
        return ticket;
    }

    @CanIgnoreReturnValue
    private Grant make(String ticket) {
        return made(ticket(ticket).key(), claimant(ticket));
    }

    private Grant made(Key key, Claimant claimant) {
        Grant grant = storage.grant(key.toString());
        grants.put(grant.toString(), grant);
        claimants.put(grant.toString(), claimant);
        return grant;
    }

    private StorageException failure(String effect) {
        StorageException failure = ScriptedStorage.failure(Effect.valueOf(effect));
        failures.add(failure);
        return failure;
    }

    private Ticket ticket(String name) {
        return requireNonNull(tickets.get(name), name);
    }

    protected final Grant grant(String name) {
        return requireNonNull(grants.get(name), name);
    }

    private Claimant claimant(String name) {
        return requireNonNull(claimants.get(name), name);
    }

    private static Duration time(String text) {
        String unit = text.replaceAll("\\d", "");
        long number = Long.parseLong(text.substring(0, text.length() - unit.length()));
        return switch (unit) {
            case "h" -> Duration.ofHours(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMillis(number);
        };
    }

    /** The request that a step consists of. */
    protected static LockRequest request(String[] words) {
        String[] name = words[1].split("#", -1);
        Key key = Key.of(name[0]);
        long seconds = words.length > 2 ? Long.parseLong(words[2]) : 0;
        return switch (words[0]) {
            case "acquire" -> new LockRequest.Acquire(new Claim(key, Kind.LOCK, 1, LEASE, seconds > 0), seconds);
            case "enqueue" -> new LockRequest.Enqueue(new Claim(key, Kind.LOCK, 1, LEASE, true));
            case "await" -> new LockRequest.Wait(key, seconds);
            case "release" -> new LockRequest.Release(key, token(name[1]));
            case "renew" -> new LockRequest.Renew(key, token(name[1]), seconds);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private static Token token(String fence) {
        long number = Long.parseLong(fence);
        return new Token(number, ~number);
    }

    protected final String text(Outcome outcome) {
        return switch (outcome) {
            case Granted(Grant grant, long lease) -> "GRANTED " + grant + (lease == LEASE ? "" : " for " + lease);
            case Acquired(Grant grant, long lease) -> "ACQUIRED " + grant + (lease == LEASE ? "" : " for " + lease);
            case Renewed renewed -> "RENEWED " + renewed.leaseSeconds();
            case Failed failed -> "FAILED " + text(failed.cause());
            case Plain plain -> plain.name();
        };
    }

    private String text(Throwable cause) {
        return cause instanceof StorageException failure
                ? failure.effect() + (failures.contains(failure) ? "" : " unexpectedly")
                : cause.toString();
    }

    /** Adds what the session has done. */
    protected final void note(String done) {
        storage.journal.add(done);
    }

    /** Adds CLOSED when the future of a close completes. */
    protected final void noteClosed(Future<Void> closed) {
        closed.onComplete(done -> note("CLOSED"), cause -> note("CLOSED, FAILED " + text(cause)));
    }

    /**
     * What the session has done since the last call. At its close it releases what it holds in any
     * order.
     */
    private List<String> taken(boolean closes) {
        List<String> done = new ArrayList<>(storage.journal.subList(seen, storage.journal.size()));
        seen += done.size();
        int from = 0;
        for (int i = 0; closes && i <= done.size(); i++) {
            if (i == done.size() || !done.get(i).startsWith("release ")) {
                Collections.sort(done.subList(from, i));
                from = i + 1;
            }
        }
        return done;
    }
}
