package io.flockgate.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/** The class path of this JVM with a jar in the place of each directory. Only of such a path can the JVM make an archive. */
final class ClassPathJars {
    private ClassPathJars() {}

    /** Makes the jars in this directory; they end with this JVM. */
    static String makeIn(Path directory) throws IOException {
        List<String> classPath = new ArrayList<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path each = Path.of(element);
            if (Files.isDirectory(each)) {
                Path jar = directory.resolve(classPath.size() + ".jar");
                jar.toFile().deleteOnExit();
                make(jar, each);
                classPath.add(jar.toString());
            } else {
                classPath.add(element);
            }
        }
        return String.join(File.pathSeparator, classPath);
    }

    private static void make(Path jar, Path directory) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(directory)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                out.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
    }
}
