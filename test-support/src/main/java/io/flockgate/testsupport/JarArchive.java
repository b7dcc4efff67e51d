package io.flockgate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The JVM's archive of a jar's loaded classes, which halves the time and the work of a start. Each build has its own. */
final class JarArchive {
    private JarArchive() {}

    /** The archive of this jar; the first call after a build makes it. */
    static synchronized Path of(Path jar) {
        try {
            Path archive = jar.resolveSibling(
                    "test-gateway-" + Files.getLastModifiedTime(jar).toMillis() + ".jsa");
            if (!Files.exists(archive)) {
                make(jar, archive);
            }
            return archive;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while an archive was being made", e);
        }
    }

    /** The JVM writes the archive at the end of a gateway that has started. */
    private static void make(Path jar, Path archive) throws IOException, InterruptedException {
        Path unfinished = Files.createTempFile(jar.getParent(), "test-gateway", ".unfinished");
        try (GatewayProcess gateway = GatewayLauncher.java(
                        "96m", "-XX:ArchiveClassesAtExit=" + unfinished, "-jar", jar.toString())
                .withHttp()
                .start()) {
            gateway.stop();
        }
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
    }
}
