package io.flockgate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The JVM's archive of the classes that a gateway loads, which halves the time and the work of a start. */
final class ClassArchive {
    private static @Nullable List<String> ofClassPath;

    private ClassArchive() {}

    /** The archive of this jar; the first call after a build makes it. */
    static synchronized Path of(Path jar) {
        try {
            Path archive = jar.resolveSibling(
                    "test-gateway-" + Files.getLastModifiedTime(jar).toMillis() + ".jsa");
            if (!Files.exists(archive)) {
                make(archive, "96m", "-jar", jar.toString());
            }
            return archive;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Arguments of Java that run this main class on the class path of this JVM, with an archive; the first call makes it. */
    static synchronized List<String> onClassPath(String main) {
        if (ofClassPath == null) {
            try {
                ofClassPath = onJars(main);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
        return ofClassPath;
    }

    private static List<String> onJars(String main) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("flockgate-classes");
        directory.toFile().deleteOnExit();
        Path program = ClassPathJars.program(directory, main);
        Path archive = directory.resolve("gateway.jsa");
        make(archive, "64m", "-jar", program.toString());
        archive.toFile().deleteOnExit();
        return List.of("-XX:SharedArchiveFile=" + archive, "-jar", program.toString());
    }

    /** The JVM writes the archive at the end of a gateway that has started. */
    private static void make(Path archive, String heap, String... run) throws IOException, InterruptedException {
        Path unfinished = Files.createTempFile(archive.toAbsolutePath().getParent(), "test-gateway", ".unfinished");
        List<String> arguments = new ArrayList<>(List.of("-XX:ArchiveClassesAtExit=" + unfinished));
        arguments.addAll(List.of(run));
        try (GatewayProcess gateway = GatewayLauncher.java(heap, arguments.toArray(String[]::new))
                .withHttp()
                .start()) {
            gateway.stop();
        }
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while an archive was being made", e);
    }
}
