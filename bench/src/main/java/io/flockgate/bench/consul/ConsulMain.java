package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/**
 * The main class of {@code bench/consul}: exit 0 with all tables, 1 when a part failed, 2 on bad
 * options.
 */
public final class ConsulMain {
    /** The measurements. */
    enum Part {
        HOT,
        IDLE,
        MANY,
        CRASH
    }

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
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(new ConsulMain().run(args, out, System.err));
    }

    private int run(String[] args, PrintStream out, PrintStream err) {
        try {
            OptionSet given = parser.parse(args);
            Set<Part> chosen = chosen(given);
            Duration idle = Duration.ofSeconds(positive(given, idleSeconds));
            try (Bed unused = Bed.of(1)) {
                return measure(parts(given, unused, err), chosen, idle, out, err);
            }
        } catch (OptionException | IllegalArgumentException e) {
            err.println("consul: " + e.getMessage());
            return 2;
        }
    }

    private Set<Part> chosen(OptionSet given) {
        return given.has(parts)
                ? given.valuesOf(parts).stream()
                        .map(name -> Part.valueOf(name.toUpperCase(Locale.ROOT)))
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Part.class)))
                : EnumSet.allOf(Part.class);
    }

    private Parts parts(OptionSet given, Bed idle, PrintStream err) {
        List<Supplier<Bed>> beds =
                given.valuesOf(servers).stream().distinct().map(ConsulMain::bed).toList();
        Duration time = Duration.ofSeconds(positive(given, seconds));
        return new Parts(given.valueOf(launcher), beds, idle, positive(given, rounds), time, err);
    }

    private static int positive(OptionSet given, OptionSpec<Integer> option) {
        if (given.valueOf(option) < 1) {
            throw new IllegalArgumentException("numbers must be at least 1");
        }
        return given.valueOf(option);
    }

    private static Supplier<Bed> bed(int servers) {
        if (servers != 1 && servers != 3) {
            throw new IllegalArgumentException("--servers must be 1, 3 or 1,3");
        }
        return () -> Bed.of(servers);
    }

    private static int measure(Parts parts, Set<Part> chosen, Duration idle, PrintStream out, PrintStream err) {
        List<String> failed = new ArrayList<>();
        for (Part part : chosen) {
            try {
                out.print(
                        switch (part) {
                            case HOT -> parts.hot();
                            case IDLE -> parts.idle(idle);
                            case MANY -> parts.many();
                            case CRASH -> parts.crash();
                        });
            } catch (BenchException e) {
                err.println("consul: " + part + " failed: " + e.getMessage());
                failed.add(part.toString());
            }
        }
        return failed.isEmpty() ? 0 : 1;
    }
}
