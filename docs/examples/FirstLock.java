import io.flockgate.client.*;
import java.net.URI;
import java.time.Duration;

class FirstLock {
    public static void main(String[] args) throws Exception {
        try (LeaseProvider leases = Flockgate.connect(URI.create("flockgate://127.0.0.1:6388"))) {
            boolean ran = leases.runExclusiveWithoutResult(
                    LeaseOptions.of("deploy"),
                    Duration.ofSeconds(10),
                    grant -> System.out.println("ok " + grant.fence().orElseThrow()));
            if (!ran) {
                System.out.println("timeout");
            }
        }
    }
}
