package io.flockgate.storage.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.LauncherExecutionRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a contract that is expected to fail. */
public final class RedCases {
    private RedCases() {}

    /** The cases of the class that fail, stopping at the first. */
    public static List<String> upToTheFirst(Class<?> contract) {
        CancellationToken stop = CancellationToken.create();
        List<String> failed = Collections.synchronizedList(new ArrayList<>());
        LauncherExecutionRequest request = LauncherExecutionRequestBuilder.request(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(contract))
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
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
