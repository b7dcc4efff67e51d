package io.flockgate.cluster.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.cluster.Seconds;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The fault campaign: Consul, four gateways and clients, with storms of faults and calm between
 * them. After all faults have ended, each key is acquired in full. At the end, a gateway with other
 * settings is refused, and starts after the gateways of the campaign have ended and the record of
 * their cluster is deleted.
 *
 * <p>{@code -Dcampaign.seed} repeats a run, as far as threads allow. {@code -Dcampaign.seconds}
 * sets its length, {@code -Dcampaign.clients} the number of clients, and {@code -Dcampaign.entries}
 * the number of entries of other programs.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class CampaignTest {
    /** Each key has a client at each gateway that keeps it for seconds. */
    private static final List<KeySpec> KEPT = List.of(KeySpec.lock("kept-a"), KeySpec.lock("kept-b"));

    private static final Duration TTL = Duration.ofSeconds(6);
    private static final Duration STORM = Duration.ofSeconds(35);
    private static final Duration CALM = Duration.ofSeconds(20);
    private static final int MAX_SHOWN = 20;

    private final long seed =
            Long.getLong("campaign.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    private final long seconds = Long.getLong("campaign.seconds", 60);
    private final Queue<Recording> attempts = new ConcurrentLinkedQueue<>();
    private final FaultLog faults = new FaultLog(Topology.GATEWAYS);

    @Test
    void nothingIsGrantedTwiceOrLostWhateverFails() throws Exception {
        System.out.println("campaign: -Dcampaign.seed=" + seed + " -Dcampaign.seconds=" + seconds);
        try (Topology consul = Topology.start(Integer.getInteger("campaign.entries", 1_000));
                Gateways gateways = Gateways.start(
                        consul.addresses(), faults, "--consul-session-ttl=" + TTL.toSeconds(), ForeignEntries.ROOM)) {
            long start = System.nanoTime();
            History history = history(consul, gateways, start);
            List<Fault> found = HistoryCheck.faults(history, Bounds.ofTtl(TTL));
            System.out.println(Figures.of(history, Seconds.since(start)));
            if (!found.isEmpty()) {
                System.out.println(gateways.logTails());
                history.disturbances().forEach(System.out::println);
                history.losses().forEach(System.out::println);
            }
            assertThat(found.stream().limit(MAX_SHOWN))
                    .as("seed %d, %d faults", seed, found.size())
                    .isEmpty();
            HeldGrant after =
                    afterChangedSettings(gateways, consul.servers().addresses().getFirst());
            assertThat(history.attempts().stream()
                            .filter(each -> each.key().equals(after.key()))
                            .flatMap(each -> each.grant().stream()))
                    .as("fences before the settings changed, seed %d", seed)
                    .allMatch(each -> Long.compareUnsigned(each.fence(), after.fence()) < 0);
        }
    }

    private History history(Topology consul, Gateways gateways, long start) throws Exception {
        Probes probes = new Probes(consul, faults);
        probes.start();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < Integer.getInteger("campaign.clients", 12); i++) {
            clients.add(new Client(i, seed, gateways.ports(), KeySpec.SHARED, false, attempts::add));
        }
        for (KeySpec key : KEPT) {
            for (int i = 0; i < Topology.GATEWAYS; i++) {
                clients.add(new Client(clients.size(), seed, gateways.ports(), List.of(key), true, attempts::add));
            }
        }
        List<Thread> threads = clients.stream().map(Thread.ofVirtual()::start).toList();
        weather(consul, gateways, probes, clients, start);
        clients.forEach(Client::stop);
        for (Thread thread : threads) {
            if (!thread.join(Duration.ofMinutes(2))) {
                throw new AssertionError("a client does not end\n" + gateways.logTails());
            }
        }
        List<History.Last> last = new ArrayList<>();
        for (KeySpec key : Stream.concat(KeySpec.SHARED.stream(), KEPT.stream()).toList()) {
            last.add(acquiredInFull(key, gateways.ports()));
        }
        probes.stop();
        return new History(
                attempts.stream().map(Recording::done).toList(), faults.disturbances(), faults.losses(), last);
    }

    /** Storms and calm, until the time has passed; ends without a remaining fault. */
    private void weather(Topology consul, Gateways gateways, Probes probes, List<Client> clients, long start)
            throws Exception {
        Deck ofConsul = new ConsulFaults(consul, probes, faults, seed).deck();
        Deck ofGateways = new GatewayFaults(gateways, clients, TTL, faults, seed).deck();
        Deck ofAgents = new AgentFaults(consul, gateways, faults, seed).deck();
        // A calm beginning: everything must be granted once before it can be lost.
        Thread.sleep(2_000);
        while (Seconds.since(start) < seconds) {
            List<Worker> storm = List.of(
                    Worker.start("consul faults", ofConsul),
                    Worker.start("gateway faults", ofGateways),
                    Worker.start("agent faults", ofAgents));
            Thread.sleep(STORM);
            for (Worker faulty : storm) {
                faulty.stop();
            }
            probes.awaitWrites();
            gateways.awaitReady();
            Thread.sleep(CALM);
        }
    }

    /**
     * Acquires the slots of a key through all gateways in turn. Each has its own connection, whose
     * end releases it.
     */
    private static History.Last acquiredInFull(KeySpec key, List<IntSupplier> gateways) throws IOException {
        List<Connection> connections = new ArrayList<>();
        long begun = System.nanoTime();
        boolean acquired = true;
        try {
            for (int i = 0; i < key.limit(); i++) {
                Connection connection = new Connection(gateways, i % gateways.size());
                connections.add(connection);
                String argument = Bounds.ofTtl(TTL).recovery().toSeconds() + " " + key.limitField() + 60;
                acquired &= Answer.of(connection.ask(key.command("l"), key.name(), argument)) == Answer.GRANTED;
            }
            return new History.Last(key.name(), System.nanoTime() - begun, acquired);
        } finally {
            connections.forEach(each -> each.end(false));
        }
    }

    /** A grant of the first key through a gateway with other settings. */
    private static HeldGrant afterChangedSettings(Gateways gateways, URI agent) throws Exception {
        try (GatewayProcess refused = changed(agent).flags("--port=0").launch()) {
            Matcher unused = refused.awaitLog("does not agree with the record");
            assertThat(refused.exitStatus()).isNotZero();
        }
        gateways.stop();
        HttpCall.ask(agent, "DELETE", "/v1/kv/flockgate/.flockgate", "");
        try (GatewayProcess changed = changed(agent).start();
                LineClient client = changed.client().patience(Duration.ofSeconds(60))) {
            changed.awaitReady(200);
            return client.lock(KeySpec.SHARED.getFirst().name(), 30, 30);
        }
    }

    private static GatewayLauncher changed(URI agent) {
        return ClusterBed.launcher().onConsul(agent).flags("--consul-map=changed=service/changed", ForeignEntries.ROOM);
    }
}
