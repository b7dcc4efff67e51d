package io.flockgate.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The checkout that a test runs in. */
public final class Repository {
    /** The folder of the project, above all modules. */
    public static final Path ROOT = root();

    private Repository() {}

    /**
     * A file or folder of the project.
     *
     * @param path relative to the root of the project, with {@code /} between its parts
     */
    public static Path file(String path) {
        return ROOT.resolve(path);
    }

    /** The files whose names end so, without those that are built. */
    public static List<Path> files(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?(target|\\.git)/.*"))
                    .sorted()
                    .toList();
        }
    }

    private static Path root() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve(".mvn"))) {
                return dir;
            }
        }
        throw new IllegalStateException("no .mvn here or above: run the tests inside the project");
    }
}
