package io.flockgate.bench.load;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/** The driver's command line. */
final class LoadOptions {
    private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");

    private final OptionParser parser = new OptionParser(false);
    private final OptionSpec<String> addr =
            parser.accepts("addr").withRequiredArg().required();
    private final OptionSpec<Long> pid =
            parser.accepts("pid").withRequiredArg().ofType(Long.class).required();
    private final OptionSpec<Integer> workers = number("workers", 10);
    private final OptionSpec<Integer> depth = number("depth", 1);
    private final OptionSpec<Integer> keys = number("keys", 0);
    private final OptionSpec<Double> seconds = seconds("seconds", 2);
    private final OptionSpec<Double> warmup = seconds("warmup-seconds", 1.5);
    private final OptionSpec<Void> hot = parser.accepts("hot");
    private final OptionSpec<Void> http = parser.accepts("http");

    private OptionSpec<Integer> number(String name, int usual) {
        return parser.accepts(name).withRequiredArg().ofType(Integer.class).defaultsTo(usual);
    }

    private OptionSpec<Double> seconds(String name, double usual) {
        return parser.accepts(name).withRequiredArg().ofType(Double.class).defaultsTo(usual);
    }

    /**
     * Parses and checks the options.
     *
     * @throws IllegalArgumentException if options are out of range or cannot be combined
     * @throws joptsimple.OptionException if they cannot be parsed
     */
    Settings parse(String... args) {
        OptionSet given = parser.parse(args);
        require(given.nonOptionArguments().isEmpty(), "unexpected words " + given.nonOptionArguments());
        require(in(given.valueOf(workers), 1, 100_000), "--workers must be 1 to 100000");
        require(in(given.valueOf(depth), 1, 10_000), "--depth must be 1 to 10000");
        require(given.valueOf(keys) >= 0, "--keys must not be negative");
        require(given.valueOf(pid) >= 1, "--pid must be at least 1");
        require(in(given.valueOf(seconds), 0.001, 86_400), "--seconds must be above 0, at most 86400");
        require(in(given.valueOf(warmup), 0, 86_400), "--warmup-seconds must be 0 to 86400");
        require(!given.has(hot) || given.valueOf(depth) == 1, "--hot excludes --depth");
        require(!given.has(hot) || !given.has(http), "--hot excludes --http, where an acquire does not wait");
        InetSocketAddress address = address(given.valueOf(addr));
        return new Settings(
                given.has(http) ? new HttpDialect(address) : new LineDialect(),
                address,
                given.valueOf(workers),
                nanos(given.valueOf(seconds)),
                nanos(given.valueOf(warmup)),
                given.has(hot),
                given.valueOf(depth),
                given.valueOf(keys),
                given.valueOf(pid));
    }

    private static boolean in(double value, double least, double most) {
        return value >= least && value <= most;
    }

    private static InetSocketAddress address(String text) {
        Matcher matcher = ADDRESS.matcher(text);
        require(matcher.matches(), "--addr must be host:port");
        int port = Integer.parseInt(matcher.group(2));
        require(in(port, 1, 65_535), "--addr needs a port of 1 to 65535");
        return new InetSocketAddress(matcher.group(1), port);
    }

    private static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    private static void require(boolean right, String message) {
        if (!right) {
            throw new IllegalArgumentException(message);
        }
    }
}
