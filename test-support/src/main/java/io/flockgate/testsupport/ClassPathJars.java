package io.flockgate.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/** The class path of this JVM with a jar in the place of each directory. Only of such a path can the JVM make an archive. */
final class ClassPathJars {
    private final Path directory;
    private final List<Path> jars = new ArrayList<>();

    private ClassPathJars(Path directory) {
        this.directory = directory;
    }

    /** A jar that runs this main class. It and the jars of directories are made in this directory, and end with this JVM. */
    static Path program(Path directory, String main) throws IOException {
        return new ClassPathJars(directory.toRealPath()).program(main);
    }

    private Path program(String main) throws IOException {
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path each = Path.of(element).toAbsolutePath();
            if (Files.isDirectory(each)) {
                jars.add(jarOf(each));
            } else if (Files.exists(each)) {
                jars.add(each.toRealPath());
            }
        }
        Path program = temporary("program.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(program), manifest(main))) {
            out.finish();
        }
        return program;
    }

    /** Like that of the gateway's jar. The JVM takes only relative paths into account. */
    private Manifest manifest(String main) {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, main);
        attributes.put(
                Attributes.Name.CLASS_PATH,
                String.join(
                        " ",
                        jars.stream()
                                .map(each -> directory.relativize(each).toString())
                                .toList()));
        attributes.putValue("Enable-Native-Access", "ALL-UNNAMED");
        return manifest;
    }

    private Path jarOf(Path classes) throws IOException {
        Path jar = temporary(jars.size() + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    private Path temporary(String name) {
        Path file = directory.resolve(name);
        file.toFile().deleteOnExit();
        return file;
    }
}
