package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Committed;
import io.flockgate.storage.consul.kv.TxnOutcome.Conflict;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.kv.TxnOutcome.Unknown;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Combines transactions of several keys into one transaction, a <em>round</em>. Thread safe.
 *
 * <ol>
 *   <li>A transaction that arrives while a round is free is sent at once and alone.
 *   <li>Otherwise it waits. The next round sends all waiting transactions that fit; they are its
 *       members.
 *   <li>If members conflict with changes in Consul, they get the conflict as their outcome. The
 *       others are sent again.
 *   <li>If Consul denies a round or finds it invalid, each half is sent separately.
 * </ol>
 */
public final class GroupCommit {
    /** The maximum number of operations in a transaction before Consul 1.14. */
    private static final int MAX_OPERATIONS = 64;

    /** Far below the 512 KiB that Consul accepts in a transaction. */
    private static final int MAX_BYTES = 128 * 1024;

    private final Environment environment;
    private final ConsulApi api;
    private final int maxRounds;

    private final Object guard = new Object();

    @GuardedBy("guard")
    private final Deque<Member> waiting = new ArrayDeque<>();

    @GuardedBy("guard")
    private int running;

    /**
     * Creates a group commit with nothing to send yet.
     *
     * @param maxRounds the maximum number of concurrent rounds
     */
    public GroupCommit(Environment environment, ConsulApi api, int maxRounds) {
        this.environment = environment;
        this.api = api;
        this.maxRounds = maxRounds;
    }

    private record Member(List<KvOp> operations, String prefix, CompletableFuture<TxnOutcome> outcome) {
        int bytes() {
            return operations.stream().mapToInt(GroupCommit::bytes).sum();
        }
    }

    /**
     * Carries out a transaction, possibly together with others, and waits for it. An interrupt
     * aborts a transaction that is sent alone, but does not end the wait for a shared round.
     *
     * @param prefix the beginning of all keys of the transaction
     */
    public TxnOutcome commit(List<KvOp> operations, String prefix) {
        Member member = new Member(List.copyOf(operations), prefix, new CompletableFuture<>());
        boolean alone;
        synchronized (guard) {
            alone = running < maxRounds;
            if (alone) {
                running++;
            } else {
                waiting.add(member);
            }
        }
        return alone ? sendAlone(member) : member.outcome.join();
    }

    /**
     * Sends on the caller's own thread. For a single client, a thread switch would cost more than
     * everything else here.
     */
    private TxnOutcome sendAlone(Member member) {
        try {
            return outcome(member.operations);
        } finally {
            endRound();
        }
    }

    /** Ends the round of the caller. If members wait, they get the next round. */
    private void endRound() {
        boolean others;
        synchronized (guard) {
            others = !waiting.isEmpty();
            running -= others ? 0 : 1;
        }
        if (others) {
            environment.start("consul-commit", this::run);
        }
    }

    /** The number of members that wait for a round. */
    int waiting() {
        synchronized (guard) {
            return waiting.size();
        }
    }

    private void run() {
        for (List<Member> round = next(); !round.isEmpty(); round = next()) {
            try {
                send(round);
            } catch (RuntimeException | Error e) {
                // Members that already have their outcome keep it.
                List<Member> unused = completeAll(round, failed(e));
            }
        }
    }

    /** The next round. If nothing waits, the round is empty and no longer counts as running. */
    private List<Member> next() {
        List<Member> round = new ArrayList<>();
        int operations = 0;
        int bytes = 0;
        synchronized (guard) {
            for (Member head = waiting.peek(); head != null; head = waiting.peek()) {
                operations += head.operations.size();
                bytes += head.bytes();
                boolean full = operations > MAX_OPERATIONS || bytes > MAX_BYTES;
                if (!round.isEmpty() && (full || has(round, head.prefix))) {
                    break;
                }
                round.add(waiting.remove());
            }
            running -= round.isEmpty() ? 1 : 0;
        }
        return round;
    }

    /**
     * Whether the round has a member with this prefix. Results are assigned to members by prefix,
     * so a round contains each prefix only once.
     */
    private static boolean has(List<Member> round, String prefix) {
        return round.stream().anyMatch(each -> each.prefix.equals(prefix));
    }

    private void send(List<Member> members) {
        List<Member> round = members;
        while (!round.isEmpty()) {
            List<KvOp> operations =
                    round.stream().flatMap(each -> each.operations.stream()).toList();
            TxnOutcome outcome = outcome(operations);
            round = switch (outcome) {
                case Committed committed -> committed(round, committed);
                case Conflict conflict -> withoutConflicting(round, conflict);
                case NotDone failed ->
                    mayConcernOneMember(round, failed) ? sendHalves(round) : completeAll(round, failed);
                case Unknown failed -> completeAll(round, failed);
            };
        }
    }

    private TxnOutcome outcome(List<KvOp> operations) {
        try {
            return api.txn(operations);
        } catch (RuntimeException | Error e) {
            return failed(e);
        }
    }

    /** The outcome after an unexpected exception, so that no caller waits indefinitely. */
    private static TxnOutcome failed(Throwable e) {
        return new Unknown(new ConsulException(
                ConsulException.FailureKind.INVALID, StorageException.Effect.UNKNOWN, "a transaction failed", e));
    }

    private static List<Member> committed(List<Member> round, Committed committed) {
        for (Member member : round) {
            List<KvEntry> own = committed.results().stream()
                    .filter(each -> each.key().startsWith(member.prefix))
                    .toList();
            member.outcome.complete(new Committed(own));
        }
        return List.of();
    }

    private static List<Member> completeAll(List<Member> round, TxnOutcome outcome) {
        round.forEach(each -> each.outcome.complete(outcome));
        return List.of();
    }

    /**
     * Whether Consul may have refused only one member: a right to one prefix is missing, or a value
     * is too large.
     */
    private static boolean mayConcernOneMember(List<Member> round, NotDone refused) {
        return round.size() > 1
                && switch (refused.cause().kind()) {
                    case DENIED, INVALID -> true;
                    case UNAVAILABLE, LIMITED, CLOSED -> false;
                };
    }

    /** Sends each half separately, because nothing in the round was carried out. */
    private List<Member> sendHalves(List<Member> round) {
        int middle = round.size() / 2;
        send(round.subList(0, middle));
        send(round.subList(middle, round.size()));
        return List.of();
    }

    /** Completes the conflicting members with their outcome, and returns the others. */
    private static List<Member> withoutConflicting(List<Member> round, Conflict conflict) {
        List<Member> others = new ArrayList<>();
        int from = 0;
        for (Member member : round) {
            int first = from;
            int end = first + member.operations.size();
            List<Obstacle> own = conflict.obstacles().stream()
                    .filter(each -> each.operation() >= first && each.operation() < end)
                    .map(each -> new Obstacle(each.operation() - first, each.what()))
                    .toList();
            if (own.isEmpty()) {
                others.add(member);
            } else {
                member.outcome.complete(new Conflict(own));
            }
            from = end;
        }
        return others.size() < round.size() ? others : completeAll(round, conflict);
    }

    private static int bytes(KvOp operation) {
        int value = operation instanceof KvOp.Write write ? write.value().length : 0;
        return operation.key().length() + value * 4 / 3 + 100;
    }
}
