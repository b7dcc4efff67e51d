package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.consul.environment.Environment;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the check alive that the sessions are bound to. If it is not passed in time, Consul ends them all, within seconds of the
 * gateway's death. The check belongs to a service of its own: a check of the agent's node would make every service there
 * unhealthy. Thread safe.
 */
final class Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final String SERVICE = "flockgate";

    private final ConsulApi api;
    private final Environment environment;
    private final String id;
    private final Duration ttl;
    private boolean registered;

    /** When the last heartbeat that succeeded was sent. */
    private volatile long sentAt;

    Heartbeat(Environment environment, ConsulApi api, String process, SessionSettings settings) {
        this.api = api;
        this.environment = environment;
        this.id = SERVICE + "-" + process;
        this.ttl = settings.checkTtl();
        this.sentAt = environment.now();
    }

    /** The specification of a session that ends with this check, or with the agent. */
    SessionSpec bound(String session, Duration sessionTtl) {
        return new SessionSpec(session, sessionTtl, List.of("serfHealth"), List.of(id));
    }

    /** Registers the service if it is not there, and passes its check. If one request hangs, there is time for two more. */
    synchronized void beat() {
        long now = environment.now();
        if (!registered) {
            register();
            registered = true;
        }
        if (api.passCheck(id, ttl.dividedBy(3))) {
            sentAt = now;
        } else {
            registered = false;
            LOG.warn("the Consul agent has forgotten the check that sessions are bound to: registering it anew");
        }
    }

    private void register() {
        try {
            api.registerService(id, SERVICE, ttl);
        } catch (ConsulException e) {
            if (e.kind() != ConsulException.FailureKind.DENIED) {
                throw e;
            }
            String need = "the token needs service_prefix \"" + SERVICE + "\" { policy = \"write\" }: ";
            throw new ConsulException(e.kind(), e.effect(), need + e.getMessage(), e);
        }
    }

    long sentAt() {
        return sentAt;
    }

    synchronized void end() {
        if (registered) {
            try {
                api.deregisterService(id);
            } catch (ConsulException e) {
                LOG.atWarn()
                        .addKeyValue("error", e.getMessage())
                        .log("the check was left to the Consul agent, which tidies it away");
            }
        }
    }
}
