package io.flockgate.client.server;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One gateway for all tests that do not disrupt it, with its code already loaded. It ends with this
 * JVM.
 */
final class SharedGateway {
    private static final GatewayProcess GATEWAY = start();

    private SharedGateway() {}

    static GatewayProcess get() {
        return GATEWAY;
    }

    static URI uri(GatewayProcess gateway) {
        return URI.create("flockgate://127.0.0.1:" + gateway.port());
    }

    /** A link that makes a gateway look like one that does not know {@code hello}. */
    static FaultyLink older(int port) {
        return FaultyLink.to(port).change(SharedGateway::withoutHello);
    }

    private static byte[] withoutHello(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.replaceAll("(^|\n)hello\n", "$1hallo\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static GatewayProcess start() {
        try {
            return warm(GatewayLauncher.ofJar().withHttp().start());
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    /**
     * The same gateway, after it has answered, because its first answer takes long on a busy
     * machine.
     */
    static GatewayProcess warm(GatewayProcess gateway) throws Exception {
        try (LeaseProvider provider = Flockgate.connect(uri(gateway))) {
            warm(provider);
        }
        return gateway;
    }

    /**
     * The same provider, after its server has answered over the connection that its leases share.
     */
    static LeaseProvider warm(LeaseProvider provider) throws Exception {
        LeaseOptions patient = LeaseOptions.named("warm")
                .limit(1000)
                .ttl(Duration.ofSeconds(90))
                .requestTimeout(Duration.ofSeconds(30))
                .build();
        try (Lease lease = provider.lease(patient)) {
            var unused = lease.acquire().toCompletableFuture().get(40, TimeUnit.SECONDS);
        }
        return provider;
    }
}
