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
                clients.add(new Client(i, plan.seed(), gateways.ports(), KeySpec.SHARED, attempts::add));
            }
            for (KeySpec key : KEPT) {
                for (int i = 0; i < Topology.GATEWAYS; i++) {
                    clients.add(Client.keeper(clients.size(), plan.seed(), gateways.ports(), key, attempts::add));
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
            List<History.Last> last = new FinalCheck(gateways.ports(), plan.ttl())
                    .results(Stream.concat(KeySpec.SHARED.stream(), KEPT.stream())
                            .toList());
            probes.stop();
            History history = new History(
                    attempts.stream().map(Recording::done).toList(), faults.disturbances(), faults.losses(), last);
            Duration time = Duration.ofNanos(System.nanoTime() - start);
            String logs = gateways.logTails();
            HeldGrant after =
                    ChangedSettings.after(gateways, consul.servers().addresses().getFirst(), KeySpec.SHARED.getFirst());
            return new Outcome(history, time, logs, after);
        }
    }

    /** Storms and calm, until the time has passed; ends without a remaining fault. */
    private void weather(Topology consul, Gateways gateways, Probes probes, List<Client> clients, long start)
            throws Exception {
        Deck ofConsul = new ConsulFaults(consul, probes, faults, plan.seed()).deck();
        Deck ofGateways = new GatewayFaults(gateways, clients, plan.ttl(), faults, plan.seed()).deck();
        Deck ofAgents = new AgentFaults(consul, gateways, faults, plan.seed()).deck();
        // A calm beginning: everything must be granted once before it can be lost.
        Thread.sleep(2_000);
        while (Seconds.since(start) < plan.time().toSeconds()) {
            List<Worker> storm = List.of(
                    Worker.start("consul faults", ofConsul),
                    Worker.start("gateway faults", ofGateways),
                    Worker.start("agent faults", ofAgents));
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
