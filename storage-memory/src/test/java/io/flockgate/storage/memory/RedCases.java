package io.flockgate.storage.memory;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
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
    /** A case may run in a thread that its test has started. */
    private static final InheritableThreadLocal<Object> FAULT = new InheritableThreadLocal<>();

    private RedCases() {}

    /** The fault of the storage that the contract, in this thread, is to open. */
    public static Object fault() {
        return FAULT.get();
    }

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

    /** Whether a contract fails on a storage with this fault. Stops at the first failure. */
    public static boolean show(Class<?> contract, Object fault) {
        FAULT.set(fault);
        CancellationToken stop = CancellationToken.create();
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
                            stop.cancel();
                        }
                    }
                })
                .build();
        LauncherFactory.create().execute(request);
        return stop.isCancellationRequested();
    }
}
