package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of the local agent that the sessions are bound to: when it is not passed in time, Consul ends them all, within
 * seconds of the gateway's death. Thread safe.
 */
final class Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    private final ConsulApi api;
    private final LongSupplier clock;
    private final String id;
    private final String name;
    private final Duration ttl;
    private boolean registered;

    /** When the last heartbeat that succeeded was sent. */
    private volatile long sentAt;

    Heartbeat(ConsulApi api, LongSupplier clock, String process, SessionSettings settings) {
        this.api = api;
        this.clock = clock;
        this.id = "flockgate-" + process;
        this.name = "Flockgate " + settings.node();
        this.ttl = settings.checkTtl();
        this.sentAt = clock.getAsLong();
    }

    /** What sessions are bound to. */
    List<String> checks() {
        return List.of("serfHealth", id);
    }

    /** Registers the check if need be, and passes it. */
    synchronized void beat() {
        long now = clock.getAsLong();
        if (!registered) {
            api.registerCheck(id, name, ttl);
            registered = true;
        }
        if (api.passCheck(id)) {
            sentAt = now;
        } else {
            registered = false;
            LOG.warn("the Consul agent has forgotten the check that sessions are bound to: registering it anew");
        }
    }

    long sentAt() {
        return sentAt;
    }

    synchronized void end() {
        if (registered) {
            try {
                api.deregisterCheck(id);
            } catch (ConsulException e) {
                LOG.atWarn()
                        .addKeyValue("error", e.getMessage())
                        .log("the check was left registered with the Consul agent");
            }
        }
    }
}
