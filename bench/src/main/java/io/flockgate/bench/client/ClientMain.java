package io.flockgate.bench.client;

import io.flockgate.bench.ProcessMeter;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseProvider;
import java.net.URI;
import java.time.Duration;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/**
 * The main class of {@code bench/client}. Measures the Java client against a running server: pairs
 * of acquire and release by 1 and 64 callers, then many leases held at once.
 */
public final class ClientMain {
    private final OptionParser parser = new OptionParser(false);
    private final OptionSpec<String> server =
            parser.accepts("server").withRequiredArg().required();
    private final OptionSpec<Long> serverPid =
            parser.accepts("server-pid").withRequiredArg().ofType(Long.class).required();
    private final OptionSpec<Integer> seconds = number("seconds", 10);
    private final OptionSpec<Integer> leases = number("leases", 10_000);
    private final OptionSpec<Integer> heldSeconds = number("held-seconds", 60);

    private ClientMain() {}

    private OptionSpec<Integer> number(String name, int usual) {
        return parser.accepts(name).withRequiredArg().ofType(Integer.class).defaultsTo(usual);
    }

    public static void main(String[] args) throws InterruptedException {
        try {
            new ClientMain().measure(args);
        } catch (OptionException e) {
            System.err.println("client: " + e.getMessage());
            System.exit(2);
        }
    }

    private void measure(String... args) throws InterruptedException {
        OptionSet given = parser.parse(args);
        URI address = URI.create(given.valueOf(server));
        ProcessMeter meter = new ProcessMeter(given.valueOf(serverPid));
        Duration time = Duration.ofSeconds(given.valueOf(seconds));
        for (int callers : new int[] {1, 64}) {
            try (LeaseProvider provider = Flockgate.connect(address)) {
                new ClientPairs(provider, meter).measure(callers, time, time);
            }
        }
        if (given.valueOf(leases) > 0) {
            try (LeaseProvider provider = Flockgate.connect(address)) {
                new HeldLeases(provider, meter)
                        .measure(given.valueOf(leases), Duration.ofSeconds(given.valueOf(heldSeconds)));
            }
        }
    }
}
