package io.flockgate.gateway.rest.session;

import static java.util.Objects.requireNonNull;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Play;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageSettings.StorageLimits;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A play of one {@link HttpSession} and its callers: {@code a: acquire k 10}. They act as exchanges
 * do: {@code a leaves}, or {@code a loses} its answer. A caller named {@code far} is on another
 * event loop. {@code longPoll k} is a wait of ten seconds by the caller {@code poll}. {@code home}
 * and {@code away} run the event loop of the session and the other one.
 */
final class HttpPlay extends Play {
    static final int MAX_CALLS = 1_000;

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final FakeEventLoop elsewhere = new FakeEventLoop();
    private final HttpSession session;
    private final Map<String, Caller> callers = new HashMap<>();

    HttpPlay() {
        this(new Gate(Map.of(Resource.CALL, new Gate.Caps(0, MAX_CALLS))));
    }

    HttpPlay(Gate gate) {
        this(new FakeEventLoop(), gate);
    }

    private HttpPlay(FakeEventLoop loop, Gate gate) {
        this(loop, new ScriptedStorage(loop), gate);
    }

    private HttpPlay(FakeEventLoop loop, ScriptedStorage storage, Gate gate) {
        this(loop, storage, session(loop, storage, gate));
    }

    HttpPlay(FakeEventLoop loop, ScriptedStorage storage, HttpSession session) {
        super(loop, storage);
        this.session = session;
    }

    private static HttpSession session(FakeEventLoop loop, ScriptedStorage storage, Gate gate) {
        SessionFactory factory = new SessionFactory(storage, true, new ClientLimits(gate, new StorageLimits(0, 0, 0)));
        return new HttpSession("id", "192.0.2.1", loop, factory.make(loop, ClientDescription.UNKNOWN), gate);
    }

    @Override
    protected void turn() {
        while (loop.turn() + elsewhere.turn() > 0) {}
    }

    /** Lets time pass and the storage answer what is open. Scripts do not list what comes of it. */
    void settle() {
        for (int i = 0; i < 5; i++) {
            loop.pass(Duration.ofHours(1));
            storage.releases.answerAll(ReleaseOutcome.RELEASED);
            storage.leaves.answerAll(LeaveOutcome.LEFT);
            turn();
        }
        setUp();
    }

    @Override
    protected void ask(String[] words) {
        switch (words[0]) {
            case "home" -> loop.run();
            case "away" -> elsewhere.run();
            case "longPoll" -> setUp("claim: queue", "poll: acquire " + words[1] + " 10");
            case "seen" -> session.seen(loop.now());
            case "idle" -> note(session.isIdle(MINUTE) ? "IDLE" : "BUSY");
            case "mayBeIdle" -> note(session.mayBeIdle(MINUTE, loop.now()) ? "IDLE" : "BUSY");
            case "close" -> noteClosed(session.close(LockSession::close));
            default -> {
                Caller known = callers.get(words[0]);
                if (known != null) {
                    known.act(words[1]);
                } else if (words[0].endsWith(":")) {
                    String name = words[0].substring(0, words[0].length() - 1);
                    new Caller(name).ask(request(Arrays.copyOfRange(words, 1, words.length)));
                } else {
                    new Caller("any").ask(request(words));
                }
            }
        }
    }

    /** The connection of one request. */
    private final class Caller implements Call.Receiver {
        private final String name;
        private @Nullable Call call;
        private @Nullable Outcome answer;
        private boolean gone;

        Caller(String name) {
            this.name = name;
            callers.put(name, this);
        }

        void ask(LockRequest request) {
            call = session.call(request, name.equals("far") ? elsewhere : loop, this);
        }

        void act(String what) {
            Call made = requireNonNull(call);
            switch (what) {
                case "leaves" -> {
                    gone = true;
                    if (answer == null) {
                        made.abandon();
                    }
                }
                case "loses" -> made.undelivered(requireNonNull(answer));
                default -> throw new IllegalArgumentException(what);
            }
        }

        @Override
        public void completed(Call answered, Outcome outcome) {
            if (gone) {
                answered.undelivered(outcome);
            } else {
                answer = outcome;
                note(name + " " + text(outcome));
            }
        }
    }
}
