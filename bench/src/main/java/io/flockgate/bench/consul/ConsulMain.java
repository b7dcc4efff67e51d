package io.flockgate.bench.consul;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The main class of {@code bench/consul}: exit 0 with all tables, 1 when a part failed, 2 on bad options. */
@Command(
        name = "bench/consul",
        description = "Measures Flockgate over Consul, on Consul servers of its own.",
        sortOptions = false)
public final class ConsulMain {
    /** The measurements. */
    enum Part {
        PAIR,
        HOT,
        IDLE,
        MANY,
        CRASH,
        KEYS,
        BARE
    }

    @Parameters(arity = "0..*", description = "of ${COMPLETION-CANDIDATES} (all)")
    @Nullable
    List<Part> parts;

    @Option(names = "--rounds", defaultValue = "3", description = "rounds, medians are shown (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--seconds", defaultValue = "6", description = "measured seconds of a run (${DEFAULT-VALUE})")
    int seconds;

    @Option(
            names = "--idle-seconds",
            defaultValue = "180",
            description = "how long to watch an idle gateway (${DEFAULT-VALUE})")
    int idleSeconds;

    @Option(names = "--keys", defaultValue = "1000", description = "contended keys on one gateway (${DEFAULT-VALUE})")
    int keys;

    @Option(
            names = "--servers",
            split = ",",
            defaultValue = "1,3",
            description = "on one server, on three, or on both (${DEFAULT-VALUE})")
    List<Integer> servers = List.of();

    @Option(names = "--launcher", required = true, hidden = true)
    Path launcher = Path.of("");

    @Option(names = "--java", required = true, hidden = true)
    String java = "";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "this text")
    boolean help;

    private ConsulMain() {}

    /** Measures, prints tables on standard output and ends the process. */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(run(args, out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        ConsulMain options = new ConsulMain();
        CommandLine line = new CommandLine(options)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        try {
            line.parseArgs(args);
        } catch (CommandLine.ParameterException e) {
            err.println("consul: " + e.getMessage());
            return 2;
        }
        if (line.isUsageHelpRequested()) {
            line.usage(line.getOut());
            return 0;
        }
        String wrong = options.wrong();
        if (wrong != null) {
            err.println("consul: " + wrong);
            return 2;
        }
        return options.measure(out, err);
    }

    private @Nullable String wrong() {
        if (rounds < 1 || seconds < 1 || idleSeconds < 1 || keys < 1) {
            return "numbers must be at least 1";
        }
        return Set.of(1, 3).containsAll(servers) ? null : "--servers must be 1, 3 or 1,3";
    }

    private List<Supplier<Bed>> beds() {
        return servers.stream()
                .distinct()
                .<Supplier<Bed>>map(count -> count == 1 ? Bed::one : Bed::three)
                .toList();
    }

    private int measure(PrintStream out, PrintStream err) {
        Set<Part> chosen = parts == null || parts.isEmpty() ? EnumSet.allOf(Part.class) : EnumSet.copyOf(parts);
        BenchGateway.Kit kit =
                new BenchGateway.Kit(launcher, List.of(java.strip().split(" +", -1)));
        List<String> failed = new ArrayList<>();
        try (Bed idle = Bed.one()) {
            Parts measuring = new Parts(kit, beds(), idle, rounds, Duration.ofSeconds(seconds), err);
            for (Part part : chosen) {
                try {
                    out.print(tables(measuring, part));
                } catch (BenchException e) {
                    err.println("consul: " + part + " failed: " + e.getMessage());
                    failed.add(part.toString());
                }
            }
        }
        return failed.isEmpty() ? 0 : 1;
    }

    private String tables(Parts measuring, Part part) {
        return switch (part) {
            case PAIR -> measuring.pair();
            case HOT -> measuring.hot();
            case IDLE -> measuring.idle(Duration.ofSeconds(idleSeconds));
            case MANY -> measuring.many();
            case CRASH -> new CrashPart(measuring).tables();
            case KEYS -> new ManyKeysPart(measuring, keys).tables();
            case BARE -> new BarePart(measuring, Duration.ofSeconds(seconds)).tables();
        };
    }
}
