package io.flockgate.bench.client;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseProvider;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures the Java client against a server that runs already. */
@CommandLine.Command(
        name = "client",
        description =
                "Measures the Java client: pairs of acquire and release by 1 and 64 callers, then many leases held at once.")
public final class ClientMain implements Callable<Integer> {
    @Parameters(index = "0", description = "The server's address, as flockgate://127.0.0.1:6388.")
    private URI server = URI.create("flockgate://127.0.0.1:6388");

    @Option(names = "--server-pid", required = true, description = "The server's process, whose CPU time is read.")
    private long serverPid;

    @Option(names = "--seconds", description = "Measured seconds of each run (10).")
    private int seconds = 10;

    @Option(names = "--leases", description = "Leases held at once (10000); 0: none.")
    private int leases = 10_000;

    @Option(names = "--held-seconds", description = "Seconds to watch the leases (60).")
    private int heldSeconds = 60;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this text.")
    boolean help;

    public static void main(String[] args) {
        System.exit(new CommandLine(new ClientMain()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        ProcessTime time = new ProcessTime(serverPid);
        for (int callers : new int[] {1, 64}) {
            try (LeaseProvider provider = Flockgate.connect(server)) {
                new Pairs(provider, time).measure(callers, Duration.ofSeconds(seconds), Duration.ofSeconds(seconds));
            }
        }
        if (leases > 0) {
            try (LeaseProvider provider = Flockgate.connect(server)) {
                new HeldLeases(provider, time).measure(leases, Duration.ofSeconds(heldSeconds));
            }
        }
        return 0;
    }
}
