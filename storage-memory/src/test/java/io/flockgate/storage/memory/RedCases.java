package io.flockgate.storage.memory;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.LauncherExecutionRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Breaks a storage's calls, and runs a contract that is expected to fail on it. */
public final class RedCases {
    private RedCases() {}

    /** A storage whose calls all go through this handler. */
    public static <T> T broken(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Makes a call as it is. */
    public static @Nullable Object call(Object real, Method call, Object... arguments) throws Throwable {
        try {
            return call.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

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
