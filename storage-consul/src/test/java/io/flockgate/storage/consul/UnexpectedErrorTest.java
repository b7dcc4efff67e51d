package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Something that nobody has thought of fails while a slot is to be given: it is given all the same, soon. */
@Execution(ExecutionMode.CONCURRENT)
class UnexpectedErrorTest {
    private final StandIns site = new StandIns();
    private final AtomicInteger errors = new AtomicInteger();
    private final AtomicInteger thrown = new AtomicInteger();

    @AfterEach
    void close() {
        site.close();
    }

    private ConsulApi broken(ConsulApi api) {
        return (ConsulApi) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ConsulApi.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("txn") && errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        thrown.incrementAndGet();
                        throw new StackOverflowError("on purpose");
                    }
                    try {
                        return method.invoke(api, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({"LOCK, 0, 1", "LOCK, 140, 3", "SEMAPHORE, 0, 1", "SEMAPHORE, 140, 3"})
    void aWaiterHasItsSlotAfterErrors(Kind kind, int watches, int count) {
        Claim claim = new Claim(Key.of("job"), kind, 1, 30, true);
        Gateway gateway = site.gateway(
                Map.of("consul-session-ttl", "600", "consul-watches", String.valueOf(watches)), this::broken);
        Had holder = site.gateway(600).hold(claim);
        Queued waiter = gateway.queue(claim);
        errors.set(count);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(thrown).hasValue(count);
    }
}
