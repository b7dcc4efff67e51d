package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaderElection;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeasePermit;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseSemaphore;
import io.flockgate.client.TaskResult;
import io.flockgate.testsupport.Repository;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of the page of Java examples, which is marked here by comments. */
final class ReadmeTest {
    private static final Path README = Repository.file("docs/guide/java-examples.md");
    private static final Path SOURCE = Path.of("src/test/java/io/flockgate/client/tck/ReadmeTest.java");

    private final List<String> done = new ArrayList<>();

    private String report(long fence) {
        return "written under fence " + fence;
    }

    private void write(String what, long fence) {
        done.add(what + " " + (fence > 0));
    }

    private void lead(LeaseGrant grant) {
        done.add("leader " + grant.isAlive());
    }

    @Test
    void theConnectionIsMadeLikeThis() {
        // begin
        LeaseProvider leases = Flockgate.connect(URI.create("flockgate://127.0.0.1:6388"));
        // end
        leases.close();
    }

    @Test
    void theCodeRuns() throws Exception {
        try (LeaseProvider leases = Flockgate.inMemory(new ManualEnvironment().environment())) {
            use(leases);
        }

        assertThat(done).containsExactly("written under fence 1", "ledger true", "pool true", "leader true");
    }

    private void use(LeaseProvider leases) throws Exception {
        // begin
        // In one process at a time. If the lease is lost, the thread is interrupted, and runExclusive throws.
        TaskResult<String> result = leases.runExclusive(
                LeaseOptions.of("report"),
                Duration.ofSeconds(30),
                grant -> report(grant.fence().orElseThrow()));

        // A lock of java.util.concurrent, with a fence.
        LeaseLock lock = new LeaseLock(leases, "ledger");
        lock.lock();
        try {
            write("ledger", lock.fence().orElseThrow());
        } finally {
            lock.unlock();
        }

        // At most five concurrent holders, across all processes.
        LeaseSemaphore pool = new LeaseSemaphore(leases, "pool", 5);
        try (LeasePermit permit = pool.acquire()) {
            write("pool", permit.grant().fence().orElseThrow());
        }

        // A leader. It campaigns again after each loss and failure, until it is closed.
        LeaderElection election = LeaderElection.start(leases, "leader", grant -> lead(grant));
        // end
        done.add(0, String.valueOf(result.value()));
        election.close();
    }

    @Test
    void theReadmeShowsThisCode() throws Exception {
        String readme = Files.readString(README);

        assertThat(regions()).hasSize(2).allSatisfy(code -> assertThat(readme).contains("```java\n" + code + "```\n"));
    }

    /** The marked parts of this file, without their indentation. */
    private static List<String> regions() throws Exception {
        List<String> regions = new ArrayList<>();
        StringBuilder region = null;
        for (String line : Files.readAllLines(SOURCE)) {
            if (line.equals("        // begin")) {
                region = new StringBuilder();
            } else if (line.equals("        // end") && region != null) {
                regions.add(region.toString());
                region = null;
            } else if (region != null) {
                region.append(line.isEmpty() ? line : line.substring(8)).append('\n');
            }
        }
        return regions;
    }
}
