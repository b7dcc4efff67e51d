package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.lifecycle.Abort;
import io.flockgate.gateway.lifecycle.Abort.SecondSignal;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.net.ServiceManager;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process after a signal, within a deadline even if something hangs.
 *
 * <ol>
 *   <li>Another signal ends the process at once.
 *   <li>If the start is in progress, wait for its end.
 *   <li>Wait for the clients, for the configured time.
 *   <li>Wait until storages, files and threads are closed.
 *   <li>Wait until the log is written.
 *   <li>End with status 0, or with {@link Abort#STATUS} after a missed deadline. Java would return
 *       the signal's number.
 * </ol>
 */
final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    /**
     * Maximum for each step except those of the clients and the log. When the disk hangs,
     * FleetLock's rosters need up to 4 s of it.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** With the storage's time, within the Helm chart's 15 s. */
    private static final int LOG_MILLIS = 4_500;

    private final GatewayConfig config;
    private final Future<Gateway> starting;
    private final ServiceManager manager;

    Shutdown(GatewayConfig config, Future<Gateway> starting, ServiceManager manager) {
        this.config = config;
        this.starting = starting;
        this.manager = manager;
    }

    void run() {
        int status = Abort.STATUS;
        try {
            SecondSignal.endsAtOnce();
            manager.stopping();
            status = inTime() ? 0 : Abort.STATUS;
            Logging.flush(LOG_MILLIS);
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private boolean inTime() {
        if (!await(starting, PATIENCE, "the start")) {
            return false;
        }
        if (starting.failed()) {
            return true;
        }
        Gateway gateway = starting.result();
        Future<Void> stopped = gateway.stop();
        return await(gateway.drained(), forClients(), "clients")
                && await(stopped, PATIENCE, "the storage")
                && succeeded(stopped);
    }

    /** The time to wait for clients; zero means indefinitely. */
    private Duration forClients() {
        Duration timeout = config.shutdownTimeout();
        return timeout.isZero() ? timeout : config.shutdownDelay().plus(timeout).plus(PATIENCE);
    }

    private static boolean succeeded(Future<Void> stopped) {
        if (stopped.failed()) {
            LOG.atError().addKeyValue("err", Reason.of(stopped.cause())).log("shutdown failed");
        }
        return stopped.succeeded();
    }

    /** Waits for the future for at most this time. Returns whether it has completed. */
    private static boolean await(Future<?> future, Duration patience, String name) {
        CountDownLatch ended = new CountDownLatch(1);
        future.onComplete(ignored -> ended.countDown());
        try {
            if (patience.isZero()) {
                ended.await();
                return true;
            }
            if (ended.await(patience.toSeconds(), TimeUnit.SECONDS)) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LOG.atError()
                .addKeyValue("waiting_for", name)
                .addKeyValue("status", Abort.STATUS)
                .log("the shutdown takes too long, ending the process");
        return false;
    }
}
