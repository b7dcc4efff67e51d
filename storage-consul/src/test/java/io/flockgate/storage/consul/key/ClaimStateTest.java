package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.Entries;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.KeyView;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimStateTest {
    private static final StorageLimits LIMITS = new StorageLimits(100, 0, 2);
    private static final String SEMAPHORE = "{\"Limit\":3,\"Holders\":[%s]}";

    /** The views of a key, by what they show. */
    private static final Map<String, KeyView> VIEWS = Map.of(
            "nothing", new Entries().view(),
            "held", held().view(),
            "free", free().view(),
            "free, a waiter", free().ticket("gw-1", Kind.LOCK, 1).view(),
            "held, a waiter", held().ticket("gw-1", Kind.LOCK, 1).view(),
            "held, 2 waiters",
                    held().ticket("gw-1", Kind.LOCK, 1)
                            .ticket("gw-2", Kind.LOCK, 1)
                            .view(),
            "a semaphore", new Entries().document(SEMAPHORE.formatted("")).view(),
            "a held slot",
                    new Entries()
                            .document(SEMAPHORE.formatted("\"a\""))
                            .ours("a", "nonce")
                            .view());

    private static Entries held() {
        return new Entries().lock(Flags.MUTEX, "", "holder");
    }

    private static Entries free() {
        return new Entries().lock(Flags.MUTEX, "", null);
    }

    private static KeyView view(String shown) {
        return Objects.requireNonNull(VIEWS.get(shown), shown);
    }

    /** A claim that may queue or only tries, on a lock or on a slot of a semaphore of a limit. */
    private static Claim claim(String words) {
        String[] parts = words.split(" ", -1);
        boolean lock = parts[1].equals("lock");
        long limit = lock ? 1 : Long.parseLong(parts[2]);
        return new Claim(Key.of("job"), lock ? Kind.LOCK : Kind.SEMAPHORE, limit, 30, parts[0].equals("queue"));
    }

    private static ClaimState after(ClaimState state, String step) {
        if (step.startsWith("read ")) {
            return state.read(view(step.substring(5)));
        }
        return step.equals("conflict") ? state.conflict() : state.taken(Refusal.valueOf(step));
    }

    /**
     * The decision on a claim, from the view that was kept when it began, the tickets being written
     * then, and what has happened since.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        try lock     | nothing         | 0 |                                 | Take
        queue lock   | free            | 0 |                                 | Take
        try slot 3   | a held slot     | 0 |                                 | Take
        queue lock   | free, a waiter  | 0 |                                 | Queue
        try lock     | free, a waiter  | 0 | read free, a waiter             | BUSY
        queue lock   | held            | 0 |                                 | Queue
        try lock     | held            | 0 |                                 | ReadAgain
        try lock     | held            | 0 | read held                       | BUSY
        try lock     | held            | 0 | read nothing                    | Take
        queue lock   | a semaphore     | 0 |                                 | ReadAgain
        try lock     | a semaphore     | 0 |                                 | ReadAgain
        queue lock   | a semaphore     | 0 | read a semaphore                | KIND_MISMATCH
        try lock     | a semaphore     | 0 | read a semaphore                | KIND_MISMATCH
        queue slot 2 | a semaphore     | 0 | read a held slot                | LIMIT_MISMATCH
        try slot 2   | a semaphore     | 0 | read a held slot                | LIMIT_MISMATCH
        queue slot 2 | a semaphore     | 0 |                                 | Take
        try slot 2   | a semaphore     | 0 |                                 | Take
        queue lock   | held, 2 waiters | 0 |                                 | ReadAgain
        queue lock   | held, 2 waiters | 0 | read held, 2 waiters            | MAX_WAITERS
        try lock     | held, 2 waiters | 0 | read held, 2 waiters            | MAX_WAITERS
        try lock     | nothing         | 0 | conflict                        | ReadAgain
        try lock     | nothing         | 0 | conflict; read nothing          | Take
        queue lock   | nothing         | 0 | BUSY                            | Queue
        try lock     | nothing         | 0 | BUSY                            | BUSY
        queue lock   | nothing         | 0 | MAX_LOCKS                       | ReadAgain
        queue lock   | nothing         | 0 | MAX_LOCKS; read nothing         | Take
        queue lock   | nothing         | 0 | read nothing; MAX_LOCKS         | MAX_LOCKS
        queue lock   | nothing         | 0 | MAX_LOCKS; read held            | Queue
        queue slot 3 | a semaphore     | 0 | MAX_HOLDERS                     | MAX_HOLDERS
        queue lock   | nothing         | 1 |                                 | Queue
        queue lock   | nothing         | 1 | read nothing                    | Queue
        queue lock   | held, a waiter  | 1 |                                 | ReadAgain
        queue lock   | held, a waiter  | 1 | read held, a waiter             | Queue
        queue lock   | held, a waiter  | 1 | read held, 2 waiters            | MAX_WAITERS
        """)
    void aClaimIsDecided(String claim, String kept, int enqueuing, String steps, String decision) {
        ClaimState state = ClaimState.of(claim(claim), LIMITS, view(kept), enqueuing);
        for (String step : steps == null ? new String[0] : steps.split("; ", -1)) {
            state = after(state, step);
        }
        assertThat(state.decide().toString()).isIn(decision + "[]", "Answer[outcome=" + decision + "]");
    }

    @ParameterizedTest
    @CsvSource({"queue lock, 2, Take", "queue lock, 3, Queue", "try lock, 3, Take"})
    void afterThreeConflictsAClaimThatMayQueueQueues(String claim, int conflicts, String decision) {
        ClaimState state = ClaimState.of(claim(claim), LIMITS, view("nothing"), 0);
        for (int i = 0; i < conflicts; i++) {
            state = state.conflict().read(view("nothing"));
        }
        assertThat(state.decide()).hasToString(decision + "[]");
    }
}
