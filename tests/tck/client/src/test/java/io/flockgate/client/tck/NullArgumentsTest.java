package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.BlockingLease.HeldAction;
import io.flockgate.client.BlockingLease.HeldTask;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaderElection;
import io.flockgate.client.LeaderListener;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseSemaphore;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A null passed to a method of an entry type is reported with the name of its parameter. */
@Timeout(60)
final class NullArgumentsTest {
    private final LeaseEnvironment environment = new ManualEnvironment().environment();
    private final LeaseProvider leases = Flockgate.inMemory(environment);
    private final Lease lease = leases.lease("job");
    private final LeaseGrant grant =
            lease.acquireWithToken().toCompletableFuture().join().orElseThrow();
    private final List<String> unnamed = new ArrayList<>();

    @AfterEach
    void close() {
        leases.close(Duration.ZERO);
    }

    @Test
    void everyNullIsNamed() throws Exception {
        Map<Class<?>, Object> receivers = new HashMap<>(Map.of(
                LeaseProvider.class,
                leases,
                Lease.class,
                leases.lease("another"),
                LeaseGrant.class,
                grant,
                BlockingLease.class,
                new BlockingLease(leases.lease("blocking")),
                LeaseLock.class,
                new LeaseLock(leases, "lock"),
                LeaseSemaphore.class,
                new LeaseSemaphore(leases, LeaseOptions.named("pool").limit(2).build()),
                ConnectOptions.class,
                ConnectOptions.defaults(),
                LeaseOptions.Builder.class,
                LeaseOptions.named("job"),
                LeaseEnvironment.class,
                environment));
        for (Class<?> type : Stream.concat(
                        receivers.keySet().stream(),
                        Stream.of(Flockgate.class, LeaseOptions.class, LeaderElection.class))
                .toList()) {
            for (Executable each : executables(type)) {
                tryNulls(each, receivers.get(type));
            }
        }

        assertThat(unnamed).isEmpty();
    }

    private static List<Executable> executables(Class<?> type) {
        Stream<Executable> methods = Arrays.<Executable>stream(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic() && !method.getName().equals("equals"));
        return Stream.concat(methods, Arrays.stream(type.getConstructors()))
                .filter(each -> Modifier.isPublic(each.getModifiers()))
                .toList();
    }

    private void tryNulls(Executable each, @Nullable Object receiver) throws Exception {
        Parameter[] parameters = each.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            boolean nullable = Arrays.stream(parameters[i].getAnnotatedType().getAnnotations())
                    .anyMatch(annotation ->
                            annotation.annotationType().getSimpleName().equals("Nullable"));
            if (parameters[i].getType().isPrimitive() || nullable) {
                continue;
            }
            @Nullable Object[] arguments = new @Nullable Object[parameters.length];
            for (int j = 0; j < parameters.length; j++) {
                arguments[j] = j == i ? null : value(parameters[j].getType());
            }
            Throwable thrown = call(each, receiver, arguments);
            String message = String.valueOf(thrown == null ? "nothing thrown" : thrown.getMessage());
            if (!(thrown instanceof NullPointerException) || !message.startsWith(parameters[i].getName() + " ")) {
                unnamed.add(each.getDeclaringClass().getSimpleName() + "." + each.getName() + ": "
                        + parameters[i].getName() + ": " + thrown);
            }
        }
    }

    private static @Nullable Throwable call(Executable each, @Nullable Object receiver, @Nullable Object[] arguments)
            throws Exception {
        try {
            Object result = each instanceof Method method
                    ? method.invoke(Modifier.isStatic(method.getModifiers()) ? null : receiver, arguments)
                    : ((java.lang.reflect.Constructor<?>) each).newInstance(arguments);
            if (result instanceof CompletionStage<?> stage
                    && stage.toCompletableFuture().isCompletedExceptionally()) {
                stage.toCompletableFuture().join();
            }
            return null;
        } catch (InvocationTargetException thrown) {
            return thrown.getCause();
        } catch (CompletionException failed) {
            return failed.getCause();
        }
    }

    private Object value(Class<?> type) throws Exception {
        Map<Class<?>, Object> values = new HashMap<>();
        values.put(String.class, "name");
        values.put(Duration.class, Duration.ofSeconds(1));
        values.put(LeaseOptions.class, LeaseOptions.of("given"));
        values.put(ConnectOptions.class, ConnectOptions.defaults());
        values.put(LeaseProvider.class, leases);
        values.put(Lease.class, lease);
        values.put(LeaseEnvironment.class, environment);
        values.put(SSLContext.class, SSLContext.getDefault());
        values.put(List.class, List.of(URI.create("flockgate://127.0.0.1")));
        values.put(URI.class, URI.create("flockgate://127.0.0.1"));
        values.put(URI[].class, new URI[0]);
        values.put(HeldAction.class, (HeldAction) held -> {});
        values.put(LeaderListener.class, (LeaderListener) held -> {});
        values.put(HeldTask.class, (HeldTask<Object>) held -> "done");
        values.put(java.util.concurrent.TimeUnit.class, java.util.concurrent.TimeUnit.SECONDS);
        values.put(long.class, 1L);
        values.put(int.class, 1);
        values.put(double.class, 0.1);
        values.put(boolean.class, true);
        Object known = values.get(type);
        if (known == null && type.isInterface()) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> null);
        }
        return Objects.requireNonNull(known, "a value of " + type);
    }
}
