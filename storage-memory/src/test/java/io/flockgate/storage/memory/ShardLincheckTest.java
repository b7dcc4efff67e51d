package io.flockgate.storage.memory;

import io.flockgate.storage.Capacity;
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
import io.flockgate.storage.Token;
import io.flockgate.storage.rules.TokenGenerator;
import io.flockgate.storage.rules.Waiter;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of a few calls on a shard has the same result as some sequential order of
 * them. The shard begins with a held lock that has two waiters; no other key may exist until that
 * key is forgotten.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "fence", gen = IntGen.class, conf = "1:3")
@Param(name = "mayQueue", gen = BooleanGen.class)
@Param(name = "waiter", gen = IntGen.class, conf = "0:1")
public class ShardLincheckTest {
    private static final Key[] KEYS = {Key.of("a"), Key.of("b")};
    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong clock = new AtomicLong();
    private final Shard shard = new Shard(
            0,
            clock::get,
            new CountingTokens(),
            new Capacity(1),
            new Bookkeeping(new Capacity(0), 3, nanos -> {}, null));
    private final Waiter[] waiters = new Waiter[2];

    public ShardLincheckTest() {
        ClaimOutcome first = shard.claim(new Claim(KEYS[0], Kind.LOCK, 1, 1, true), new Silent());
        if (first instanceof Held) {
            for (int i = 0; i < waiters.length; i++) {
                Claim claim = new Claim(KEYS[0], Kind.LOCK, 1, 1, true);
                waiters[i] = (Waiter) ((Queued) shard.claim(claim, new Silent())).ticket();
            }
        }
    }

    @Operation
    public String claim(@Param(name = "key") int key, @Param(name = "mayQueue") boolean mayQueue) {
        ClaimOutcome outcome = shard.claim(new Claim(KEYS[key], Kind.LOCK, 1, 1, mayQueue), new Silent());
        return switch (outcome) {
            case Held held -> "held " + held.grant().fence();
            case Queued queued -> "queued";
            case Refusal refusal -> refusal.name();
        };
    }

    @Operation
    public String leave(@Param(name = "waiter") int waiter) {
        return shard.leave(waiters[waiter]).name();
    }

    @Operation
    public String release(@Param(name = "key") int key, @Param(name = "fence") int fence) {
        return shard.release(KEYS[key], new Token(fence, 0)).name();
    }

    @Operation
    public String renew(@Param(name = "key") int key, @Param(name = "fence") int fence) {
        return shard.renew(KEYS[key], new Token(fence, 0), 2).name();
    }

    @Operation
    public void letASecondPass() {
        clock.addAndGet(SECOND);
    }

    @Operation
    public boolean endDueLeases() {
        return shard.endDueLeases();
    }

    @Operation
    public boolean forgetIdle() {
        return shard.forgetIdle(0);
    }

    @Operation
    public String view(@Param(name = "key") int key) {
        String view = shard.view(KEYS[key], (state, now) -> {
            StringBuilder text = new StringBuilder();
            state.holders(0, 10).forEach(holder -> text.append(holder.fence()).append(' '));
            return text.append("and ").append(state.waiterCount()).toString();
        });
        return view == null ? "none" : view;
    }

    @Test
    void everyInterleavingOfTwoThreadsIsAnOrder() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsBefore(0)
                .actorsPerThread(2)
                .actorsAfter(2)
                .iterations(30)
                .invocationsPerIteration(50)
                .check(ShardLincheckTest.class);
    }

    @Test
    @Tag("slow")
    void everyInterleavingOfThreeThreadsIsAnOrder() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsBefore(2)
                .actorsPerThread(3)
                .actorsAfter(2)
                .iterations(60)
                .invocationsPerIteration(1000)
                .check(ShardLincheckTest.class);
    }

    private record Silent() implements Claimant {
        @Override
        public long id() {
            return 1;
        }

        @Override
        public void granted(Ticket ticket, Grant grant) {}

        @Override
        public void removed(Ticket ticket) {}

        @Override
        public void ended(Grant grant, Ending ending) {}
    }

    /** Fences that count up from 1, without salts. */
    private static final class CountingTokens implements TokenGenerator {
        private final AtomicLong last = new AtomicLong();

        @Override
        public long nextFence() {
            return last.incrementAndGet();
        }

        @Override
        public long nextSalt() {
            return 0;
        }
    }
}
