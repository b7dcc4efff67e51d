package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract finds every fault that a storage must not have. Most faults show in what does not
 * happen, so the cases wait concurrently.
 */
@Execution(ExecutionMode.CONCURRENT)
class FaultyStorageTest {
    /** A case may run in a thread that its test has started. */
    private static final InheritableThreadLocal<Fault> FAULT = new InheritableThreadLocal<>();

    /** Surefire does not find this class by its name; only this test runs it. */
    static class FaultyContract extends LockStorageContract {
        @Override
        protected StorageHarness harness() {
            return new PlainHarness(FAULT.get());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theContractTurnsRedAtThisFault(Fault each) {
        FAULT.set(each);

        assertThat(RedCases.upToTheFirst(FaultyContract.class)).isNotEmpty();
    }
}
