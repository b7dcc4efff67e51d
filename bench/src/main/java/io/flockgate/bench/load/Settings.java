package io.flockgate.bench.load;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/**
 * The settings of one run.
 *
 * @param warmupNanos the minimum CPU time that the driver spends on its warm-up
 * @param hot whether all workers compete for one key
 * @param depth keys in a round: requests in one write
 * @param held keys to hold during the measurement, which follows one without them; 0 means none
 * @param pid the server's process id
 */
record Settings(
        Protocol protocol,
        InetSocketAddress address,
        int workers,
        long measureNanos,
        long warmupNanos,
        boolean hot,
        int depth,
        int held,
        long pid) {
    /** The longest wait of an acquire in the server. */
    static final int TIMEOUT_SECONDS = 30;

    static final int LEASE_SECONDS = 10;

    /** The lease of keys that are held during a measurement. */
    static final int HELD_LEASE_SECONDS = 86_400;

    private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");

    /**
     * The settings of a command line.
     *
     * @throws IllegalArgumentException if options cannot be combined
     * @throws joptsimple.OptionException if they cannot be parsed
     */
    static Settings of(String... args) {
        OptionParser parser = new OptionParser(false);
        OptionSpec<String> addr = parser.accepts("addr").withRequiredArg().required();
        OptionSpec<Long> pid =
                parser.accepts("pid").withRequiredArg().ofType(Long.class).required();
        OptionSpec<Integer> workers = option(parser, "workers", Integer.class, 10);
        OptionSpec<Integer> depth = option(parser, "depth", Integer.class, 1);
        OptionSpec<Integer> keys = option(parser, "keys", Integer.class, 0);
        OptionSpec<Double> seconds = option(parser, "seconds", Double.class, 2.0);
        OptionSpec<Double> warmup = option(parser, "warmup-seconds", Double.class, 1.5);
        OptionSpec<Void> hot = parser.accepts("hot");
        OptionSpec<Void> http = parser.accepts("http");
        OptionSet given = parser.parse(args);
        Matcher address = ADDRESS.matcher(given.valueOf(addr));
        require(address.matches(), "--addr must be host:port");
        require(!given.has(hot) || given.valueOf(depth) == 1, "--hot excludes --depth");
        require(!given.has(hot) || !given.has(http), "--hot excludes --http, where an acquire does not wait");
        InetSocketAddress server = new InetSocketAddress(address.group(1), Integer.parseInt(address.group(2)));
        return new Settings(
                given.has(http) ? new HttpProtocol(server) : new LineProtocol(),
                server,
                given.valueOf(workers),
                (long) (given.valueOf(seconds) * 1e9),
                (long) (given.valueOf(warmup) * 1e9),
                given.has(hot),
                given.valueOf(depth),
                given.valueOf(keys),
                given.valueOf(pid));
    }

    private static <T> OptionSpec<T> option(OptionParser parser, String name, Class<T> type, T usual) {
        return parser.accepts(name).withRequiredArg().ofType(type).defaultsTo(usual);
    }

    private static void require(boolean right, String message) {
        if (!right) {
            throw new IllegalArgumentException(message);
        }
    }

    /**
     * The key of one slot of one worker's round. The bare C server queues for keys that begin with
     * h.
     */
    String keyOf(int worker, int slot) {
        if (hot) {
            return "hot";
        }
        return depth == 1 ? "bench_" + worker : "bench_" + worker + "_" + slot;
    }
}
