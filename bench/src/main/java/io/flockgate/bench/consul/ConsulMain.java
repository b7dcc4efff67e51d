package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.consul.testbed.ConsulCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/**
 * The main class of {@code bench/consul}: exit 0 with all tables, 1 when a part failed, 2 on bad
 * options.
 */
public final class ConsulMain {
    private static final List<String> ALL = List.of("hot", "idle", "many", "crash");

    private final OptionParser parser = new OptionParser(false);
    private final OptionSpec<Integer> rounds = number("rounds", 3);
    private final OptionSpec<Integer> seconds = number("seconds", 6);
    private final OptionSpec<Integer> idleSeconds = number("idle-seconds", 180);
    private final OptionSpec<Integer> servers = parser.accepts("servers")
            .withRequiredArg()
            .ofType(Integer.class)
            .withValuesSeparatedBy(',')
            .defaultsTo(1, 3);
    private final OptionSpec<String> launcher =
            parser.accepts("launcher").withRequiredArg().required();
    private final OptionSpec<String> parts = parser.nonOptions();

    private ConsulMain() {}

    private OptionSpec<Integer> number(String name, int usual) {
        return parser.accepts(name).withRequiredArg().ofType(Integer.class).defaultsTo(usual);
    }

    /** Measures, prints tables on standard output and ends the process. */
    public static void main(String[] args) throws InterruptedException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(new ConsulMain().run(args, out, System.err));
    }

    private int run(String[] args, PrintStream out, PrintStream err) throws InterruptedException {
        OptionSet given;
        try {
            given = parser.parse(args);
        } catch (OptionException e) {
            err.println("consul: " + e.getMessage());
            return 2;
        }
        Duration idle = Duration.ofSeconds(given.valueOf(idleSeconds));
        try (ConsulCluster unused = ConsulCluster.start(1)) {
            Parts measured = new Parts(
                    count -> new Bed(ConsulCluster.start(count), unused, given.valueOf(launcher)),
                    given.valuesOf(servers),
                    given.valueOf(rounds),
                    Duration.ofSeconds(given.valueOf(seconds)),
                    err);
            int status = 0;
            for (String part : given.valuesOf(parts).isEmpty() ? ALL : given.valuesOf(parts)) {
                try {
                    out.print(
                            switch (part) {
                                case "hot" -> measured.hot();
                                case "idle" -> measured.idle(idle);
                                case "many" -> measured.many();
                                case "crash" -> measured.crash();
                                default -> throw new BenchException("no such part");
                            });
                } catch (BenchException | AssertionError | IOException e) {
                    err.println("consul: " + part + " failed: " + e.getMessage());
                    status = 1;
                }
            }
            return status;
        }
    }
}
