package io.flockgate.client.tck.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Lease;
import io.flockgate.testsupport.Repository;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.NullMarked;

/** The client's code with some snippets replaced, together with a copy of the model. */
final class Variant {
    private static final String PACKAGE = "io.flockgate.client.";
    private static final Path SOURCES = Repository.file("client/core/src/main/java");

    private final Map<String, String> sources = new HashMap<>();

    /** Includes a class with its source unchanged. */
    Variant source(String className) {
        sources.computeIfAbsent(className, Variant::read);
        return this;
    }

    /**
     * Replaces a snippet that must occur exactly once in the source of a class, so that a variant
     * cannot lose its meaning unnoticed.
     */
    Variant replace(String className, String snippet, String replacement) {
        source(className);
        String text = Objects.requireNonNull(sources.get(className));
        assertThat(text.split(java.util.regex.Pattern.quote(snippet), -1))
                .as("the source of %s around one occurrence of: %s", className, snippet)
                .hasSize(2);
        sources.put(className, text.replace(snippet, replacement));
        return this;
    }

    private static String read(String className) {
        try {
            return Files.readString(SOURCES.resolve(PACKAGE.replace('.', '/') + className + ".java"));
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    /**
     * Compiles the client into an empty directory, and runs the model from seed 1 on. Returns the
     * first violation, or an empty text after this number of runs.
     */
    String firstViolation(Path directory, int runs, int steps) throws Exception {
        compile(directory);
        Loader loader = new Loader(directory);
        Method run = loader.loadClass(LeaseModel.class.getName()).getDeclaredMethod("run", long.class, int.class);
        run.setAccessible(true);
        for (long seed = 1; seed <= runs; seed++) {
            String violation = (String) run.invoke(null, seed, steps);
            if (!violation.isEmpty()) {
                return violation;
            }
        }
        return "";
    }

    private void compile(Path directory) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--release",
                "17",
                "-proc:none",
                "-nowarn",
                "-d",
                directory.toString(),
                "-classpath",
                location(Lease.class) + File.pathSeparator + location(NullMarked.class)));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = Files.writeString(directory.resolve(source.getKey() + ".java"), source.getValue());
            arguments.add(file.toString());
        }
        StringWriter messages = new StringWriter();
        PrintWriter output = new PrintWriter(messages);
        int status =
                ToolProvider.findFirst("javac").orElseThrow().run(output, output, arguments.toArray(new String[0]));
        assertThat(status).as(messages.toString()).isZero();
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException odd) {
            throw new IllegalStateException(odd);
        }
    }

    /** Loads the client and the model again, compiled classes first. */
    private static final class Loader extends ClassLoader {
        private final Path compiled;

        Loader(Path compiled) {
            super(Variant.class.getClassLoader());
            this.compiled = compiled;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String path = name.replace('.', '/') + ".class";
            Path changed = compiled.resolve(path);
            try (InputStream file = Files.exists(changed) ? Files.newInputStream(changed) : getResourceAsStream(path)) {
                byte[] bytes = Objects.requireNonNull(file, name).readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}
