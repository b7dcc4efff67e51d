package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract finds every fault that a storage must not have. */
class FaultyStorageTest {
    private static volatile Fault fault = Fault.NONE;

    /** Not found by its name: only run from here. */
    static class FaultyContract extends LockStorageContract {
        @Override
        protected StorageHarness harness() {
            return new PlainHarness(fault);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theContractTurnsRedAtThisFault(Fault each) {
        fault = each;

        assertThat(RedCases.upToTheFirst(FaultyContract.class)).isNotEmpty();
    }
}
