package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.consul.environment.Environment;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the check that the sessions are bound to. If the check is not passed in time, Consul ends all sessions. So it ends them
 * within seconds after the gateway's death. The check belongs to a service of its own, because a failing check of the node would
 * make all services of the node unhealthy. Thread safe.
 */
final class Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final String SERVICE = "flockgate";
    private static final String RIGHT = "service_prefix \"" + SERVICE + "\" { policy = \"write\" }";

    private final ConsulApi api;
    private final Environment environment;
    private final String id;
    private final Duration ttl;
    private boolean registered;

    /** The moment at which the last successful heartbeat was sent. */
    private volatile Moment sent;

    Heartbeat(Environment environment, ConsulApi api, String process, SessionSettings settings) {
        this.api = api;
        this.environment = environment;
        this.id = SERVICE + "-" + process;
        this.ttl = settings.checkTtl();
        this.sent = Moment.now(environment);
    }

    /** The specification of a session that ends with this check, or with the agent. */
    SessionSpec boundSession(String session, Duration sessionTtl) {
        return new SessionSpec(session, sessionTtl, List.of("serfHealth"), List.of(id));
    }

    void tryToBeat(ConsulHealth health) {
        try {
            beat();
        } catch (ConsulException e) {
            health.failed(e);
        }
    }

    /** Registers the service if it is not there, and passes its check. If one request hangs, there is time for two more. */
    synchronized void beat() {
        Moment now = Moment.now(environment);
        if (!registered) {
            register();
            registered = true;
        }
        if (pass()) {
            sent = now;
        } else {
            registered = false;
            LOG.warn("the Consul agent does not know the check that sessions are bound to; it is registered anew");
        }
    }

    private boolean pass() {
        try {
            return api.passCheck(id, ttl.dividedBy(3));
        } catch (ConsulException e) {
            throw e.withRight(RIGHT);
        }
    }

    private void register() {
        try {
            api.registerService(id, SERVICE, ttl);
        } catch (ConsulException e) {
            throw e.withRight(RIGHT);
        }
    }

    Moment sent() {
        return sent;
    }

    synchronized void end() {
        if (registered) {
            try {
                api.deregisterService(id);
            } catch (ConsulException e) {
                LOG.atWarn()
                        .addKeyValue("err", e.getMessage())
                        .log("the check could not be deregistered; the Consul agent deregisters it soon");
            }
        }
    }
}
