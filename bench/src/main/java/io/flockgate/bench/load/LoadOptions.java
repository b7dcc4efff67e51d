package io.flockgate.bench.load;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line as typed; {@link #settings} checks it. */
@Command(
        name = "load",
        description = "Drives a lock server in a closed loop and prints the cost of a pair of acquire and release.",
        sortOptions = false)
final class LoadOptions {
    private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int MAX_TOKEN_LIST = 100_000;

    @Spec
    @Nullable
    CommandSpec spec;

    @Parameters(index = "0", description = "${COMPLETION-CANDIDATES}")
    Mode mode = Mode.CYCLE;

    @Option(names = "--addr", defaultValue = "127.0.0.1:6388", description = "server, host:port (${DEFAULT-VALUE})")
    String addr = "";

    @Option(names = "--protocol", defaultValue = "line", description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE})")
    Protocol protocol = Protocol.LINE;

    @Option(names = "--workers", defaultValue = "10", description = "connections (${DEFAULT-VALUE})")
    int workers;

    @Option(names = "--rounds", description = "measured rounds of each worker (50)")
    @Nullable
    Long rounds;

    @Option(names = "--seconds", description = "measure for so long instead of by rounds")
    @Nullable
    Double seconds;

    @Option(
            names = "--warmup",
            defaultValue = "10",
            description = "unmeasured rounds of each worker (${DEFAULT-VALUE})")
    long warmup;

    @Option(
            names = "--warmup-seconds",
            defaultValue = "0",
            description = "warm up for at least so much of the driver's CPU time (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--key", description = "key prefix, or the shared key itself (bench; hot and sem: the mode's name)")
    @Nullable
    String key;

    @Option(names = "--shared-key", description = "all workers on one key")
    boolean sharedKey;

    @Option(names = "--timeout", defaultValue = "30", description = "seconds an acquire may wait (${DEFAULT-VALUE})")
    int timeout;

    @Option(names = "--lease", defaultValue = "10", description = "seconds of a lease (${DEFAULT-VALUE})")
    int lease;

    @Option(names = "--depth", defaultValue = "32", description = "pipeline: requests a write (${DEFAULT-VALUE})")
    int depth;

    @Option(names = "--limit", defaultValue = "4", description = "sem: slots (${DEFAULT-VALUE})")
    int limit;

    @Option(names = "--keys", defaultValue = "1000000", description = "keys: keys to hold (${DEFAULT-VALUE})")
    int keys;

    @Option(names = "--idle", defaultValue = "1000", description = "idle: silent connections (${DEFAULT-VALUE})")
    int idle;

    @Option(names = "--auth-token", description = "sent first on every connection")
    @Nullable
    String authToken;

    @Option(names = "--pid", defaultValue = "0", description = "the server's process: adds its CPU time and memory")
    long pid;

    @Option(names = "--json", description = "one line of JSON instead of text")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "this text")
    boolean help;

    /** The checked form. @throws ParameterException when options are out of range or do not go together */
    Settings settings() {
        checkRanges();
        checkCombinations();
        boolean shared = sharedKey || mode == Mode.HOT || mode == Mode.SEM;
        double measured = seconds == null ? 0 : seconds;
        long counted = rounds == null ? 50 : rounds;
        return new Settings(
                mode,
                protocol,
                address(),
                workers,
                seconds == null ? counted : 0,
                nanos(measured),
                warmup,
                nanos(warmupSeconds),
                checkedKey(),
                shared,
                mode == Mode.PIPELINE ? depth : 1,
                mode == Mode.SEM ? limit : 1,
                timeout,
                lease,
                mode == Mode.IDLE ? idle : keys,
                pid,
                authToken);
    }

    private void checkRanges() {
        require(workers >= 1 && workers <= 100_000, "--workers must be 1 to 100000");
        require(rounds == null || rounds >= 1, "--rounds must be at least 1");
        require(seconds == null || (seconds > 0 && seconds <= 86_400), "--seconds must be above 0, at most 86400");
        require(warmup >= 0, "--warmup must not be negative");
        require(warmupSeconds >= 0 && warmupSeconds <= 86_400, "--warmup-seconds must be 0 to 86400");
        require(timeout >= 0, "--timeout must not be negative");
        require(lease >= 1, "--lease must be at least 1");
        require(depth >= 1 && depth <= 10_000, "--depth must be 1 to 10000");
        require(limit >= 1 && limit <= MAX_TOKEN_LIST, "--limit must be 1 to " + MAX_TOKEN_LIST);
        require(keys >= 1, "--keys must be at least 1");
        require(idle >= 1, "--idle must be at least 1");
        require(pid >= 0, "--pid must not be negative");
    }

    private void checkCombinations() {
        require(rounds == null || seconds == null, "--rounds and --seconds exclude each other");
        require(
                protocol != Protocol.RESP || mode != Mode.TWOPHASE,
                "twophase needs --protocol line or http: Redis has no queue to enter");
        require(
                !sharedKey || mode == Mode.CYCLE || mode == Mode.HOT || mode == Mode.SEM,
                "--shared-key goes with cycle, hot and sem only");
        require(authToken == null || !authToken.isBlank(), "--auth-token must not be blank");
    }

    private String checkedKey() {
        String chosen = key;
        if (chosen == null) {
            chosen = switch (mode) {
                case HOT -> "hot";
                case SEM -> "hotsem";
                case CYCLE, PIPELINE, TWOPHASE, KEYS, IDLE -> "bench";
            };
        }
        // 200: room for the worker's number below the protocol's 256 bytes.
        require(chosen.matches("[!-~]{1,200}"), "--key must be 1 to 200 visible ASCII characters");
        return chosen;
    }

    private InetSocketAddress address() {
        Matcher matcher = ADDRESS.matcher(addr);
        require(matcher.matches(), "--addr must be host:port");
        int port = Integer.parseInt(matcher.group(2));
        require(port >= 1 && port <= 65_535, "--addr needs a port of 1 to 65535");
        InetSocketAddress address = new InetSocketAddress(matcher.group(1), port);
        require(!address.isUnresolved(), "--addr names an unknown host");
        return address;
    }

    private static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    private void require(boolean right, String message) {
        if (!right) {
            CommandSpec known = spec;
            if (known == null) {
                throw new IllegalStateException(message);
            }
            throw new ParameterException(known.commandLine(), message);
        }
    }
}
