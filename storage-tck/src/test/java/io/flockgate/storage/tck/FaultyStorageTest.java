package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.LauncherExecutionRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The contract finds every fault of which it is told to be free. */
class FaultyStorageTest {
    private static volatile Fault fault = Fault.NONE;

    /** Not found by its name: only run from here. */
    static class Contract extends LockStorageContract {
        @Override
        protected StorageHarness harness() {
            return new PlainHarness(fault);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theContractTurnsRedAtThisFault(Fault each) {
        fault = each;

        assertThat(failures()).isNotEmpty();
    }

    /** The cases that fail, up to the first. */
    private static List<String> failures() {
        CancellationToken stop = CancellationToken.create();
        List<String> failed = Collections.synchronizedList(new ArrayList<>());
        LauncherExecutionRequest request = LauncherExecutionRequestBuilder.request(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(Contract.class))
                                .build())
                .cancellationToken(stop)
                .listeners(new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        if (result.getStatus() == Status.FAILED) {
                            failed.add(test.getDisplayName());
                            stop.cancel();
                        }
                    }
                })
                .build();
        LauncherFactory.create().execute(request);
        return failed;
    }
}
