package io.flockgate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The JVM's ahead-of-time cache of the classes that a gateway loads and links, which more than
 * halves the work of a start.
 */
final class ClassArchive {
    private ClassArchive() {}

    /** The archive of this jar; the first call after a build creates it. */
    static synchronized Path of(Path jar) {
        try {
            Path archive = jar.resolveSibling(
                    "test-gateway-" + Files.getLastModifiedTime(jar).toMillis() + ".aot");
            if (!Files.exists(archive)) {
                make(archive, jar);
            }
            return archive;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Creates the archive, which the JVM writes when a gateway that has served clients ends. */
    private static void make(Path archive, Path jar) throws IOException, InterruptedException {
        Path unfinished = Files.createTempFile(archive.toAbsolutePath().getParent(), "test-gateway", ".unfinished");
        try (GatewayProcess gateway = GatewayLauncher.java("-XX:AOTCacheOutput=" + unfinished, "-jar", jar.toString())
                .withHttp()
                .start()) {
            try (LineClient client = gateway.client()) {
                client.release(client.lock("key"));
            }
            var unused = gateway.ready();
            gateway.stop();
        }
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while an archive was being made", e);
    }
}
