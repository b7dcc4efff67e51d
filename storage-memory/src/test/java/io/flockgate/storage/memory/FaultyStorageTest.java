package io.flockgate.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.tck.Limits;
import io.flockgate.storage.tck.LockStorageContract;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.storage.tck.StorageHarness;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract finds the faults that no mutant of the rules or of inspections shows. */
@Execution(ExecutionMode.CONCURRENT)
class FaultyStorageTest {
    enum Fault {
        NONE,
        CUTS_KEYS,
        FINDS_TOKENS_ON_ANY_KEY,
        NOTIFIES_HELD_AS_GRANTED,
        BOGUS_TOKEN_MAKES_KEYS,
        INSPECTION_MAKES_KEYS,
        EVICTION_MAKES_KEYS,
        LIMIT_ORDER_ENDS_GRANTS,
        INCARNATION_IS_CONSTANT,
        INCARNATION_IS_NO_WORD,
        CLOSED_GOES_ON
    }

    /** Surefire does not find this class by its name; only this test runs it. */
    static class FaultyContract extends LockStorageContract {
        @Override
        protected StorageHarness harness() {
            return new FaultyHarness((Fault) RedCases.fault());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theContractTurnsRedAtAFaultAndAtNothingElse(Fault each) {
        assertThat(RedCases.show(FaultyContract.class, each)).isEqualTo(each != Fault.NONE);
    }

    private static final class FaultyHarness extends MemoryHarness {
        private final Fault fault;

        FaultyHarness(Fault fault) {
            this.fault = fault;
        }

        @Override
        public LockStorage open(Limits limits) {
            return RedCases.broken(LockStorage.class, new Broken(super.open(limits), fault));
        }

        private static LockStorage real(LockStorage storage) {
            return ((Broken) Proxy.getInvocationHandler(storage)).real();
        }

        @Override
        public long holdersBeside(LockStorage storage, Key key) {
            return super.holdersBeside(real(storage), key);
        }

        @Override
        public long waitersBeside(LockStorage storage, Key key) {
            return super.waitersBeside(real(storage), key);
        }
    }

    /** The calls of a correct storage, one of them with a fault. */
    private record Broken(LockStorage real, Fault fault) implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method call, Object @Nullable [] given) throws Throwable {
            Object[] arguments = given == null ? new Object[0] : given;
            String name = call.getName();
            if (fault == Fault.CUTS_KEYS) {
                return RedCases.call(
                        real, call, Arrays.stream(arguments).map(Broken::cut).toArray());
            }
            if (name.equals("evict") && fault == Fault.EVICTION_MAKES_KEYS) {
                make((Key) arguments[0]);
            } else if (fault == Fault.INSPECTION_MAKES_KEYS
                    && name.equals("inspect")
                    && arguments[0] instanceof KeyDetailQuery query) {
                make(query.key());
            }
            if (name.equals("close") && fault == Fault.CLOSED_GOES_ON) {
                return Future.succeededFuture();
            }
            if (name.equals("incarnation") && fault == Fault.INCARNATION_IS_CONSTANT) {
                return Optional.of("always-this");
            }
            if (name.equals("incarnation") && fault == Fault.INCARNATION_IS_NO_WORD) {
                return Optional.of("two words");
            }
            Object answer = RedCases.call(real, call, arguments);
            return answer instanceof Future<?> future && future.succeeded() ? after(call, arguments, future) : answer;
        }

        /** The faults of calls that have succeeded. */
        private @Nullable Object after(Method call, Object[] arguments, Future<?> answer) throws Throwable {
            boolean notHeld = answer.result() == ReleaseOutcome.NOT_HELD || answer.result() == RenewOutcome.NOT_HELD;
            if (notHeld && fault == Fault.FINDS_TOKENS_ON_ANY_KEY) {
                return onAnyKey(call, arguments);
            }
            if (notHeld && fault == Fault.BOGUS_TOKEN_MAKES_KEYS) {
                make((Key) arguments[0]);
            } else if (fault == Fault.NOTIFIES_HELD_AS_GRANTED && answer.result() instanceof Held held) {
                ((Claimant) arguments[1]).granted(held.grant()::key, held.grant());
            } else if (fault == Fault.LIMIT_ORDER_ENDS_GRANTS && call.getName().equals("setLimit")) {
                endBeyond((Key) arguments[0], (Long) arguments[1]);
            }
            return answer;
        }

        private @Nullable Object onAnyKey(Method call, Object... arguments) throws Throwable {
            Object answer = null;
            for (KeySummary each : real.inspect(KeyQuery.all(1000)).result().keys()) {
                Object[] elsewhere = arguments.clone();
                elsewhere[0] = each.key();
                answer = RedCases.call(real, call, elsewhere);
                if (answer instanceof Future<?> future
                        && future.result() != ReleaseOutcome.NOT_HELD
                        && future.result() != RenewOutcome.NOT_HELD) {
                    return answer;
                }
            }
            return answer == null ? RedCases.call(real, call, arguments) : answer;
        }

        private void endBeyond(Key key, long limit) {
            real.inspect(KeyDetailQuery.first(key, 1000)).result().stream()
                    .flatMap(detail -> detail.holders().stream().skip(limit))
                    .forEach(each -> real.evict(key, each.fence(), true).onSuccess(ended -> {}));
        }

        private void make(Key key) {
            real.claim(new Claim(key, Kind.LOCK, 1, 1, false), new RecordingClaimant(0))
                    .onSuccess(outcome -> {
                        if (outcome instanceof Held held) {
                            real.release(key, held.grant().token()).onSuccess(released -> {});
                        }
                    });
        }

        private static Object cut(Object argument) {
            return switch (argument) {
                case Key key -> cut(key);
                case Claim claim ->
                    new Claim(cut(claim.key()), claim.kind(), claim.limit(), claim.leaseSeconds(), claim.mayQueue());
                case KeyDetailQuery query ->
                    new KeyDetailQuery(cut(query.key()), query.afterFence(), query.limit(), query.counted());
                default -> argument;
            };
        }

        private static Key cut(Key key) {
            return Objects.requireNonNull(Key.copyOf(key.toBytes(), 0, Math.min(key.length(), 255)));
        }
    }
}
