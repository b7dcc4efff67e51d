package io.flockgate.client.tck.model;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LostEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One client of the model: a lease, its random use, and the invariants of its grants. */
final class ModelClient {
    private static final int REMEMBERED = 4;

    private final World world;
    private final ModelServer server;
    private final Machine machine;
    private final Network network;
    private final Lease lease;
    private final Deque<Known> grants = new ArrayDeque<>();
    private int openStages;
    private int releases;

    /** A grant that was handed out. */
    private static final class Known {
        private final LeaseGrant grant;
        private boolean dead;
        private boolean released;
        private boolean told;

        Known(LeaseGrant grant) {
            this.grant = grant;
        }
    }

    ModelClient(World world, ModelServer server, double margin) {
        this.world = world;
        this.server = server;
        this.machine = new Machine(world);
        this.network = new Network(world, server, machine);
        LeaseOptions options = LeaseOptions.named("job")
                .ttl(Duration.ofNanos(World.TTL))
                .safetyMargin(Duration.ofNanos((long) (World.TTL * margin)))
                .build();
        this.lease = Flockgate.provider(network, machine.environment()).lease(options);
        lease.onLost(this::lost);
    }

    Machine machine() {
        return machine;
    }

    Network network() {
        return network;
    }

    /** Uses the lease in a random way. */
    void act() {
        machine.run(() -> {
            if (world.isCalm()) {
                return;
            }
            switch (world.index(8)) {
                case 0, 1 -> acquire(Duration.ZERO);
                case 2, 3 -> acquire(Duration.ofNanos(1 + world.upTo(2 * World.TTL)));
                case 4 -> release();
                case 5 -> ensure();
                default -> check();
            }
        });
    }

    private void acquire(Duration wait) {
        openStages++;
        int before = releases;
        lease.acquire(wait).whenComplete((grant, failure) -> {
            openStages--;
            if (failure == null) {
                acquired(grant, releases != before);
            }
        });
    }

    private void acquired(Optional<LeaseGrant> result, boolean released) {
        if (result.isEmpty()) {
            world.require(released || network.othersThere(), "a no means that somebody else is there");
            return;
        }
        LeaseGrant grant = result.get();
        Known last = grants.peekLast();
        if (last == null || !last.grant.equals(grant)) {
            grants.addLast(new Known(grant));
            if (grants.size() > REMEMBERED) {
                requireEnded(grants.removeFirst());
            }
        }
    }

    void release() {
        Known last = grants.peekLast();
        if (last != null && !last.told) {
            last.released = true;
        }
        releases++;
        openStages++;
        lease.release().whenComplete((done, failure) -> openStages--);
        world.require(!lease.checkAlive(), "a released lease is not alive");
    }

    private void ensure() {
        Known last = grants.peekLast();
        if (last != null) {
            openStages++;
            Duration enough = Duration.ofNanos(world.upTo((long) (World.TTL * 0.85)));
            CompletionStage<Boolean> ensured = last.grant.ensure(enough);
            ensured.whenComplete((done, failure) -> openStages--);
        }
    }

    private void lost(LostEvent event) {
        Known known = known(event.grant());
        world.require(known != null, "a loss is told after the stage of the acquire");
        if (known != null) {
            world.require(!known.told, "a loss is told once");
            world.require(!known.released, "a release is not a loss");
            world.require(!known.grant.isAlive(), "a lost grant is not alive");
            known.told = true;
            known.dead = true;
        }
    }

    private @Nullable Known known(LeaseGrant grant) {
        return grants.stream()
                .filter(known -> known.grant.equals(grant))
                .findFirst()
                .orElse(null);
    }

    private void requireEnded(Known known) {
        world.require(known.told || known.released, "each grant ends by a release or by a loss that is told");
    }

    /**
     * True if this client considers itself the holder, and no other client may be the holder at the
     * same time.
     */
    boolean check() {
        for (Known known : grants) {
            boolean alive = known.grant.isAlive();
            world.require(!(known.dead && alive), "a dead grant stays dead");
            world.require(!(known.released && alive), "a released grant is dead");
            world.require(!(alive && network.wasRejected(known.grant.token())), "a rejected grant is dead");
            known.dead |= !alive;
        }
        Optional<LeaseGrant> current = lease.current();
        if (!lease.checkAlive() || current.isEmpty()) {
            return false;
        }
        String token = current.get().token();
        world.require(
                server.holds(token) || server.wasRevoked(token), "a client believes no longer than the server holds");
        return !server.wasRevoked(token);
    }

    /** Requires that nothing is left, once the faults have stopped and time has passed. */
    void requireRest() {
        world.require(openStages == 0, "each stage completes");
        world.require(machine.timers() == 0, "no timer is left, but " + machine.timers() + " are");
        grants.forEach(this::requireEnded);
    }
}
