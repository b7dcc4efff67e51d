package io.flockgate.gateway.eventloop;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.lang.reflect.Proxy;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FileChecksTest {
    @Test
    void endWithoutAFailureWhenVertxIsClosing() {
        AtomicInteger timers = new AtomicInteger();

        FileChecks.start(closing(timers), () -> {});

        assertThat(timers).as("no further check").hasValue(1);
    }

    /** A Vert.x whose timers still run, but whose worker threads have ended. */
    private static Vertx closing(AtomicInteger timers) {
        return (Vertx) Proxy.newProxyInstance(
                FileChecksTest.class.getClassLoader(), new Class<?>[] {Vertx.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("setTimer")) {
                        throw new RejectedExecutionException();
                    }
                    timers.incrementAndGet();
                    @SuppressWarnings("unchecked")
                    Handler<Long> handler = (Handler<Long>) arguments[1];
                    handler.handle(1L);
                    return 1L;
                });
    }
}
