package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.api.TxnOutcome.Committed;
import io.flockgate.storage.consul.api.TxnOutcome.Conflict;
import io.flockgate.storage.consul.api.TxnOutcome.NotDone;
import io.flockgate.storage.consul.api.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.api.TxnOutcome.Unknown;
import io.flockgate.storage.consul.environment.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends the transactions of many keys in few requests. A transaction that comes alone is sent at once. One that comes while
 * others are under way waits for the next round, and shares it. A member that Consul refuses is taken out, and the others are
 * sent again. Thread safe.
 */
public final class GroupCommit {
    /** Consul takes 64 operations before 1.14, and half a megabyte. */
    private static final int MAX_OPERATIONS = 64;

    private static final int MAX_BYTES = 128 * 1024;

    private final Environment environment;
    private final ConsulApi api;
    private final int lanes;
    private final int together;

    /** Guards {@link #waiting} and {@link #running}. */
    private final Object guard = new Object();

    private final Deque<Member> waiting = new ArrayDeque<>();
    private int running;

    /**
     * Sends nothing yet.
     *
     * @param lanes how many rounds may be under way at a time
     * @param together how many members a round may have
     */
    public GroupCommit(Environment environment, ConsulApi api, int lanes, int together) {
        this.environment = environment;
        this.api = api;
        this.lanes = lanes;
        this.together = together;
    }

    private record Member(List<KvOp> operations, String prefix, CompletableFuture<TxnOutcome> outcome) {
        int bytes() {
            return operations.stream().mapToInt(GroupCommit::bytes).sum();
        }
    }

    /**
     * Carries out a transaction, possibly together with others, and waits for it. An interrupt breaks off one that was sent
     * alone, as it would without this; others go on, and with them the wait.
     *
     * @param prefix of all its keys
     */
    public TxnOutcome commit(List<KvOp> operations, String prefix) {
        Member member = new Member(List.copyOf(operations), prefix, new CompletableFuture<>());
        boolean alone;
        synchronized (guard) {
            alone = running < lanes;
            if (alone) {
                running++;
            } else {
                waiting.add(member);
            }
        }
        return alone ? sendAlone(member) : member.outcome.join();
    }

    /** On the caller's own thread: a change of threads would cost a lone client more than the rest of this. */
    private TxnOutcome sendAlone(Member member) {
        try {
            return outcome(member.operations);
        } finally {
            passOn();
        }
    }

    /** Gives up the lane that the caller had, to those that have come meanwhile if there are any. */
    private void passOn() {
        boolean others;
        synchronized (guard) {
            others = !waiting.isEmpty();
            running -= others ? 0 : 1;
        }
        if (others) {
            environment.start("consul-commit", this::run);
        }
    }

    /** How many members are in no round yet. */
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
                // Those who have been told their outcome already keep it.
                List<Member> unused = all(round, failed(e));
            }
        }
    }

    /** The next round; empty, and the lane given up, when nothing waits. */
    private List<Member> next() {
        List<Member> round = new ArrayList<>();
        int operations = 0;
        int bytes = 0;
        synchronized (guard) {
            for (Member head = waiting.peek(); head != null; head = waiting.peek()) {
                operations += head.operations.size();
                bytes += head.bytes();
                boolean full = round.size() == together || operations > MAX_OPERATIONS || bytes > MAX_BYTES;
                if (!round.isEmpty() && (full || has(round, head.prefix))) {
                    break;
                }
                round.add(waiting.remove());
            }
            running -= round.isEmpty() ? 1 : 0;
        }
        return round;
    }

    /** Results go to members by their prefixes: no two of a round have the same. */
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
                case Conflict conflict -> withoutThoseInTheWay(round, conflict);
                case NotDone failed -> isOfOne(round, failed) ? halves(round) : all(round, failed);
                case Unknown failed -> all(round, failed);
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

    /** Whatever happens, nobody waits for ever. */
    private static TxnOutcome failed(Throwable e) {
        return new Unknown(new ConsulException(
                ConsulException.FailureKind.INVALID, ConsulException.Effect.UNKNOWN, "a transaction failed", e));
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

    private static List<Member> all(List<Member> round, TxnOutcome outcome) {
        round.forEach(each -> each.outcome.complete(outcome));
        return List.of();
    }

    /** Whether it may be one member alone that Consul refuses: a right to one prefix is missing, a value is too large. */
    private static boolean isOfOne(List<Member> round, NotDone refused) {
        return round.size() > 1
                && switch (refused.cause().kind()) {
                    case DENIED, INVALID -> true;
                    case UNAVAILABLE, LIMITED, CLOSED -> false;
                };
    }

    /** Sends both halves, each for itself: nothing of the whole was carried out. */
    private List<Member> halves(List<Member> round) {
        int middle = round.size() / 2;
        send(round.subList(0, middle));
        send(round.subList(middle, round.size()));
        return List.of();
    }

    /** Those of the round that nothing stood in the way of. */
    private static List<Member> withoutThoseInTheWay(List<Member> round, Conflict conflict) {
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
        return others.size() < round.size() ? others : all(round, conflict);
    }

    private static int bytes(KvOp operation) {
        int value = switch (operation) {
            case KvOp.Set set -> set.value().length;
            case KvOp.Cas cas -> cas.value().length;
            case KvOp.Lock lock -> lock.value().length;
            case KvOp.Unlock unlock -> unlock.value().length;
            case KvOp.DeleteCas delete -> 0;
            case KvOp.CheckIndex check -> 0;
            case KvOp.CheckNotExists check -> 0;
            case KvOp.GetTree tree -> 0;
        };
        return operation.key().length() + value * 4 / 3 + 100;
    }
}
