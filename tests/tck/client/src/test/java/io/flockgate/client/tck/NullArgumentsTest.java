package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaderElection;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseSemaphore;
import io.flockgate.client.support.Trust;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
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
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A null passed to a method of an entry type is reported with the name of its parameter. */
@Timeout(60)
final class NullArgumentsTest {
    private final LeaseProvider leases = Flockgate.inMemory(new ManualEnvironment().environment());
    private final Lease lease = leases.lease("held");

    /** One value of each type, to call or to pass. */
    private final List<Object> values = List.of(
            leases,
            leases.lease("unused"),
            lease.acquireWithToken().toCompletableFuture().join().orElseThrow(),
            new BlockingLease(leases.lease("blocking")),
            new LeaseLock(leases, "lock"),
            new LeaseSemaphore(leases, "pool", 2),
            ConnectOptions.defaults(),
            LeaseOptions.of("given"),
            LeaseOptions.named("job"),
            LeaseEnvironment.system(),
            "name",
            Duration.ofSeconds(1),
            URI.create("flockgate://127.0.0.1"),
            new URI[0],
            List.of(URI.create("flockgate://127.0.0.1")),
            TimeUnit.SECONDS,
            Trust.ofJvm(),
            1L,
            0.1,
            true);

    @AfterEach
    void close() {
        leases.close(Duration.ZERO);
    }

    @Test
    void everyNullIsNamed() throws Exception {
        List<String> unnamed = new ArrayList<>();
        for (Class<?> type : List.of(
                LeaseProvider.class,
                Lease.class,
                LeaseGrant.class,
                BlockingLease.class,
                LeaseLock.class,
                LeaseSemaphore.class,
                LeaderElection.class,
                ConnectOptions.class,
                LeaseOptions.class,
                LeaseOptions.Builder.class,
                LeaseEnvironment.class,
                Flockgate.class)) {
            for (Executable each : executables(type)) {
                Parameter[] parameters = each.getParameters();
                for (int i = 0; i < parameters.length; i++) {
                    if (!isNullable(parameters[i]) && !isNamed(each, i)) {
                        unnamed.add(each + ": " + parameters[i].getName());
                    }
                }
            }
        }

        assertThat(unnamed).isEmpty();
    }

    private static List<Executable> executables(Class<?> type) {
        return Stream.concat(Arrays.stream(type.getDeclaredMethods()), Arrays.stream(type.getConstructors()))
                .filter(each -> Modifier.isPublic(each.getModifiers()) && !each.isSynthetic())
                .filter(each -> !each.getName().equals("equals"))
                .toList();
    }

    private static boolean isNullable(Parameter parameter) {
        return parameter.getType().isPrimitive()
                || Arrays.stream(parameter.getAnnotatedType().getAnnotations())
                        .anyMatch(annotation ->
                                annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    /** Whether the call with null for one parameter names it. */
    private boolean isNamed(Executable each, int nullAt) throws Exception {
        Parameter[] parameters = each.getParameters();
        @Nullable Object[] arguments = new @Nullable Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            arguments[i] = i == nullAt ? null : value(parameters[i].getType());
        }
        try {
            Object result = each instanceof Method method
                    ? method.invoke(
                            Modifier.isStatic(method.getModifiers()) ? null : value(each.getDeclaringClass()),
                            arguments)
                    : ((Constructor<?>) each).newInstance(arguments);
            if (result instanceof CompletionStage<?> stage) {
                stage.toCompletableFuture().getNow(null);
            }
            return false;
        } catch (InvocationTargetException | CompletionException thrown) {
            return thrown.getCause() instanceof NullPointerException named
                    && String.valueOf(named.getMessage()).startsWith(parameters[nullAt].getName() + " ");
        }
    }

    private Object value(Class<?> type) {
        Class<?> boxed = MethodType.methodType(type).wrap().returnType();
        return values.stream()
                .filter(boxed::isInstance)
                .findFirst()
                .orElseGet(() -> Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> null));
    }
}
