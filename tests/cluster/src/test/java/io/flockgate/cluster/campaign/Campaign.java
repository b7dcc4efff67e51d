package io.flockgate.cluster.campaign;

import io.flockgate.cluster.Seconds;
import io.flockgate.testsupport.HeldGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * One run of Consul, four gateways and clients, with storms of faults and calm between them. After
 * all faults have ended, each key is acquired in full. The seed decides what is done and in which
 * order, but not how the threads of a run interleave.
 */
final class Campaign {
    static final List<KeySpec> KEYS = List.of(
            KeySpec.lock("lock-a"),
            KeySpec.lock("lock-b"),
            KeySpec.semaphore("pool-2", 2),
            KeySpec.semaphore("pool-3", 3));

    /** Each key has a client at each gateway that keeps it for seconds. */
    private static final List<KeySpec> KEPT = List.of(KeySpec.lock("kept-a"), KeySpec.lock("kept-b"));

    /**
     * The parameters of a run.
     *
     * @param ttl of the gateways' sessions
     * @param foreignEntries the number of entries of other programs under the prefix
     */
    record Plan(
            long seed, Duration time, Duration ttl, Duration storm, Duration calm, int clients, int foreignEntries) {}

    /**
     * The outcome of a run.
     *
     * @param after a grant of the first key through a gateway with other settings
     */
    record Outcome(History history, Duration time, String logs, HeldGrant after) {}

    private final Plan plan;
    private final Queue<Recording> attempts = new ConcurrentLinkedQueue<>();
    private final FaultLog faults = new FaultLog(Topology.GATEWAYS);

    private Campaign(Plan plan) {
        this.plan = plan;
    }

    static Outcome run(Plan plan) throws Exception {
        return new Campaign(plan).run();
    }

    private Outcome run() throws Exception {
        try (Topology consul = Topology.start(plan.foreignEntries());
                Gateways gateways = Gateways.start(
                        consul.addresses(),
                        faults,
                        "--consul-session-ttl=" + plan.ttl().toSeconds(),
                        ForeignEntries.ROOM)) {
            Probes probes = new Probes(consul, faults);
            probes.start();
            long start = System.nanoTime();
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < plan.clients(); i++) {
                clients.add(new Client(i, plan.seed(), gateways, KEYS, attempts::add));
            }
            for (KeySpec key : KEPT) {
                for (int i = 0; i < Topology.GATEWAYS; i++) {
                    clients.add(Client.keeper(clients.size(), plan.seed(), gateways, key, attempts::add));
                }
            }
            List<Thread> threads =
                    clients.stream().map(Thread.ofVirtual()::start).toList();
            weather(consul, gateways, probes, clients, start);
            clients.forEach(Client::stop);
            for (Thread thread : threads) {
                if (!thread.join(Duration.ofMinutes(2))) {
                    throw new AssertionError("a client does not end\n" + gateways.logTails());
                }
            }
            List<History.Last> last = new FinalCheck(gateways, plan.ttl())
                    .results(Stream.concat(KEYS.stream(), KEPT.stream()).toList());
            probes.stop();
            History history = new History(
                    attempts.stream().map(Recording::done).toList(), faults.disturbances(), faults.losses(), last);
            Duration time = Duration.ofNanos(System.nanoTime() - start);
            String logs = gateways.logTails();
            HeldGrant after =
                    ChangedSettings.after(gateways, consul.servers().addresses().getFirst(), KEYS.getFirst());
            return new Outcome(history, time, logs, after);
        }
    }

    /** Storms and calm, until the time has passed; ends without a remaining fault. */
    private void weather(Topology consul, Gateways gateways, Probes probes, List<Client> clients, long start)
            throws Exception {
        ConsulFaults ofConsul = new ConsulFaults(consul, probes, faults, plan.seed());
        GatewayFaults ofGateways = new GatewayFaults(gateways, clients, plan.ttl(), faults, plan.seed());
        AgentFaults ofAgents = new AgentFaults(consul, gateways, faults, plan.seed());
        // A calm beginning: everything must be granted once before it can be lost.
        Thread.sleep(2_000);
        while (Seconds.since(start) < plan.time().toSeconds()) {
            List<Worker> storm = List.of(
                    Worker.start("consul faults", () -> {
                        ofConsul.next();
                        ofConsul.rest();
                    }),
                    Worker.start("gateway faults", () -> {
                        ofGateways.next();
                        ofGateways.rest();
                    }),
                    Worker.start("agent faults", () -> {
                        ofAgents.next();
                        ofAgents.rest();
                    }));
            Thread.sleep(plan.storm());
            for (Worker faulty : storm) {
                faulty.stop();
            }
            probes.awaitWrites();
            gateways.awaitReady();
            Thread.sleep(plan.calm());
        }
    }
}
