package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.spring.FlockgateLockRegistry;
import io.flockgate.client.spring.boot.FlockgateAutoConfiguration;
import io.flockgate.client.spring.boot.FlockgateHealthIndicator;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application of Spring Boot, and a gateway whose certificate is replaced. */
@Tag("process")
class RotatedBundleTest {
    private static Path copy(String name, Path to) throws IOException {
        return Files.copy(Trust.file(name), to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean serves(String certificate, GatewayProcess gateway) throws Exception {
        try {
            Trust.warm(certificate, gateway.port());
            return true;
        } catch (IOException untrusted) {
            return false;
        }
    }

    @Test
    void theNextLockAndTheHealthCheckTakeTheBundleOfTheirMoment(@TempDir Path directory) throws Exception {
        Path certificate = copy("rsa.crt", directory.resolve("tls.crt"));
        Path key = copy("rsa-pkcs8.key", directory.resolve("tls.key"));
        Path authority = copy("rsa.crt", directory.resolve("ca.crt"));
        try (GatewayProcess gateway = GatewayLauncher.ofJar("--tls-cert=" + certificate, "--tls-key=" + key)
                .start()) {
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(SslAutoConfiguration.class, FlockgateAutoConfiguration.class))
                    .withPropertyValues(
                            "flockgate.servers=flockgates://localhost:" + gateway.port(),
                            "flockgate.ssl-bundle=gateway",
                            "spring.ssl.bundle.pem.gateway.truststore.certificate=file:" + authority,
                            "spring.ssl.bundle.pem.gateway.reload-on-update=true",
                            "spring.ssl.bundle.watch.file.quiet-period=100ms")
                    .run(context -> {
                        CountDownLatch updated = new CountDownLatch(1);
                        context.getBean(SslBundles.class)
                                .addBundleUpdateHandler("gateway", bundle -> updated.countDown());
                        FlockgateHealthIndicator health = context.getBean(FlockgateHealthIndicator.class);
                        Lock lock = context.getBean(FlockgateLockRegistry.class).obtain("job");
                        assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
                        lock.unlock();
                        assertThat(health.health().getStatus()).isEqualTo(Status.UP);

                        Path unusedCertificate = copy("ec.crt", certificate);
                        Path unusedKey = copy("ec-pkcs8.key", key);
                        boolean unusedReload = Polling.until(() -> serves("ec.crt", gateway), served -> served);

                        assertThat(health.health().getStatus())
                                .as("an open connection proves nothing")
                                .isEqualTo(Status.DOWN);

                        Path unusedAuthority = copy("ec.crt", authority);
                        assertThat(updated.await(30, TimeUnit.SECONDS)).isTrue();

                        assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
                        lock.unlock();
                        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    });
        }
    }
}
