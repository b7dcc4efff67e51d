package io.flockgate.client.tck.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A discrete simulation of two or three clients that compete for one slot.
 *
 * <ol>
 *   <li>The clocks of each client drift by up to 1 % and have an offset. The server's leases are
 *       exact.
 *   <li>Requests and answers are late or lost. Clients pause. Machines are suspended, or their wall
 *       clocks are set. No client can detect a clock that is set back during a suspend, so a run
 *       has either the one or the other.
 *   <li>After many steps the invariants are checked: no two clients consider themselves the holder,
 *       and no client does so for longer than the server. Each client also checks its own
 *       invariants (see {@link ModelClient}).
 *   <li>At the end the faults stop, and all clients release. Then the slot is free, and no timer is
 *       left.
 * </ol>
 *
 * A run depends only on its seed.
 */
final class LeaseModel {
    private static final int REST_STEPS = 100_000;

    private final World world;
    private final ModelServer server;
    private final List<ModelClient> clients = new ArrayList<>();
    private final boolean suspends;

    private LeaseModel(long seed) {
        world = new World(seed);
        server = new ModelServer(world);
        suspends = world.chance(0.5);
        double margin = world.between(0.013, 0.1);
        int number = world.chance(0.7) ? 2 : 3;
        for (int i = 0; i < number; i++) {
            ModelClient client = new ModelClient(world, server, margin);
            client.machine().onResume(this::check);
            clients.add(client);
            use(client);
        }
        disturb();
    }

    /**
     * Runs a simulation of this number of steps. Returns the invariant that was violated first;
     * empty if none was.
     */
    static String run(long seed, int steps) {
        LeaseModel model = new LeaseModel(seed);
        for (int step = 0; step < steps && model.world.violation().isEmpty(); step++) {
            model.world.step(Long.MAX_VALUE);
            if (model.world.chance(0.3)) {
                model.check();
            }
        }
        model.rest();
        String violation = model.world.violation();
        return violation.isEmpty() ? "" : violation + " (seed " + seed + ")";
    }

    private void use(ModelClient client) {
        client.act();
        if (!world.isCalm()) {
            world.after(world.upTo(World.TTL / 2), () -> use(client));
        }
    }

    private void disturb() {
        if (world.isCalm()) {
            return;
        }
        ModelClient client = clients.get(world.index(clients.size()));
        switch (world.index(10)) {
            case 0 -> client.machine().pause(world.upTo(World.TTL * 3 / 2), false);
            case 1 -> client.machine().pause(world.upTo(2 * World.TTL), suspends);
            case 2 -> client.machine().stepWall(world.upTo(World.TTL) - (suspends ? 0 : World.TTL / 2));
            case 3 ->
                server.revoke(loss -> clients.forEach(each -> each.network().news(loss.message(), loss)));
            default -> client.network().changeWeather();
        }
        world.after(world.upTo(World.TTL), this::disturb);
    }

    private void check() {
        int believers = 0;
        for (ModelClient client : clients) {
            if (!client.machine().isPaused() && client.check()) {
                believers++;
            }
        }
        world.require(believers <= 1, "two clients believe at the same time");
    }

    private void rest() {
        world.calmDown();
        long end = world.now() + 8 * World.TTL;
        clients.forEach(client -> client.machine().run(client::release));
        int steps = 0;
        while (world.step(end) && world.violation().isEmpty()) {
            check();
            world.require(++steps < REST_STEPS, "calm needs few steps");
        }
        clients.forEach(ModelClient::requireRest);
        world.require(server.isFree(), "the server is free in the end");
    }
}
