package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * A storage that the test scripts call by call, and that lists no keys. Prepared answers are given
 * at once, others when the test says so.
 */
public final class ScriptedStorage extends PagedKeys implements LockStorage {
    public final Script<ClaimCall, ClaimOutcome> claims = new Script<>();
    public final Script<Ticket, LeaveOutcome> leaves = new Script<>();
    public final Script<ReleaseCall, ReleaseOutcome> releases = new Script<>();
    public final Script<RenewCall, RenewOutcome> renewals = new Script<>();

    /**
     * The calls received, in order: a word and the key, with the number of the ticket or the fence
     * of the token.
     */
    public final List<String> journal = new ArrayList<>();

    private final FakeEventLoop loop;
    private long lastFence;
    private long lastTicket;

    public ScriptedStorage(FakeEventLoop loop) {
        super(List.of(), 1);
        this.loop = loop;
    }

    public record ClaimCall(Claim claim, Claimant claimant) {}

    public record ReleaseCall(Key key, Token token) {}

    public record RenewCall(Key key, Token token, long leaseSeconds) {}

    /** The calls of one kind. */
    public static final class Script<Q, A> {
        private final Deque<Function<Q, Future<A>>> ready = new ArrayDeque<>();
        private final Deque<OpenCall<Q, A>> open = new ArrayDeque<>();
        private final List<Q> asked = new ArrayList<>();

        private record OpenCall<Q, A>(Q question, Promise<A> promise) {}

        private Future<A> ask(Q question) {
            asked.add(question);
            if (!ready.isEmpty()) {
                return ready.remove().apply(question);
            }
            OpenCall<Q, A> call = new OpenCall<>(question, Promise.promise());
            open.add(call);
            return call.promise().future();
        }

        /** Answers the oldest open call, or else a future one. */
        public void give(Function<Q, Future<A>> answer) {
            OpenCall<Q, A> call = open.poll();
            if (call == null) {
                ready.add(answer);
            } else {
                answer.apply(call.question())
                        .onComplete(
                                result -> call.promise().complete(result),
                                cause -> call.promise().fail(cause));
            }
        }

        /** Prepares an answer for a future call. */
        public void ready(A answer) {
            ready.add(call -> Future.succeededFuture(answer));
        }

        /** Makes a future call throw, which no storage may do. */
        public void readyThrow(RuntimeException thrown) {
            ready.add(call -> {
                throw thrown;
            });
        }

        /** Answers the oldest open call. */
        public void answer(A answer) {
            open.remove().promise().complete(answer);
        }

        public void answerAll(A answer) {
            while (!open.isEmpty()) {
                answer(answer);
            }
        }

        public void fail(Throwable cause) {
            open.remove().promise().fail(cause);
        }

        public List<Q> asked() {
            return asked;
        }

        public Q last() {
            return asked.getLast();
        }
    }

    /** A grant as a storage would make it now. */
    public Grant grant(String key) {
        return grant(key, ++lastFence, loop.now());
    }

    /** A grant of this kind. */
    Grant grant(String key, Kind kind) {
        return new FakeGrant(Key.of(key), kind, ++lastFence, loop.now());
    }

    public static Grant grant(String key, long fence, long grantedAtNanos) {
        return new FakeGrant(Key.of(key), Kind.LOCK, fence, grantedAtNanos);
    }

    public Held held(String key) {
        return new Held(grant(key));
    }

    public Queued queued(String key) {
        return new Queued(new FakeTicket(Key.of(key), ++lastTicket));
    }

    public static StorageException failure(Effect effect) {
        return new StorageException(FailureKind.UNAVAILABLE, effect, "as the test wants");
    }

    /** The fence of a token, in doubt if its salt is not that of a grant. */
    private static String text(Token token) {
        return "#" + token.fence() + (token.salt() == ~token.fence() ? "" : "?");
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        journal.add("claim " + claim.key());
        return claims.ask(new ClaimCall(claim, claimant));
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        journal.add("leave " + ticket);
        return leaves.ask(ticket);
    }

    @Override
    public Future<ReleaseOutcome> release(Key key, Token token) {
        journal.add("release " + key + text(token));
        return releases.ask(new ReleaseCall(key, token));
    }

    @Override
    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        journal.add("renew " + key + text(token) + " " + leaseSeconds);
        return renewals.ask(new RenewCall(key, token, leaseSeconds));
    }

    @Override
    public Future<Void> close() {
        return Future.succeededFuture();
    }

    private record FakeTicket(Key key, long number) implements Ticket {
        @Override
        public String toString() {
            return key + "@" + number;
        }
    }

    /** A grant whose salt is the fence with all bits inverted, unless it is given. */
    public record FakeGrant(Key key, Kind kind, long fence, long salt, long grantedAtNanos) implements Grant {
        public FakeGrant(Key key, Kind kind, long fence, long grantedAtNanos) {
            this(key, kind, fence, ~fence, grantedAtNanos);
        }

        @Override
        public String toString() {
            return key + "#" + fence;
        }
    }
}
