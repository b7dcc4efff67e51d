package io.flockgate.client.tck.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Lease;
import io.flockgate.testsupport.Repository;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * The client's code with some snippets replaced, together with a copy of the model. Compiled in
 * memory.
 */
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
     * Runs the model from seed 1 on. Returns the first violation, or an empty text after this
     * number of runs.
     */
    String firstViolation(int runs, int steps) throws Exception {
        Loader loader = new Loader(compile());
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

    private Map<String, byte[]> compile() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        Outputs outputs = new Outputs(compiler.getStandardFileManager(null, null, null));
        List<Source> inputs = sources.entrySet().stream()
                .map(source -> new Source(source.getKey(), source.getValue()))
                .toList();
        String classPath = location(Lease.class) + System.getProperty("path.separator") + location(NullMarked.class);
        List<String> options = List.of("--release", "17", "-proc:none", "-nowarn", "-classpath", classPath);
        boolean done =
                compiler.getTask(messages, outputs, null, options, null, inputs).call();
        assertThat(done).as(messages.toString()).isTrue();
        return outputs.classes();
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

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String className, String text) {
            super(URI.create("string:///" + PACKAGE.replace('.', '/') + className + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class ClassFile extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        ClassFile(String className) {
            super(URI.create("memory:///" + className.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class Outputs extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ClassFile> files = new HashMap<>();

        Outputs(JavaFileManager manager) {
            super(manager);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location,
                String className,
                JavaFileObject.Kind kind,
                javax.tools.@Nullable FileObject sibling) {
            return files.computeIfAbsent(className, ClassFile::new);
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> classes = new HashMap<>();
            files.forEach((name, file) -> classes.put(name, file.bytes.toByteArray()));
            return classes;
        }
    }

    /** Loads the client and the model again, compiled classes first. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> compiled;

        Loader(Map<String, byte[]> compiled) {
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
            byte[] bytes = compiled.get(name);
            if (bytes == null) {
                try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    bytes = Objects.requireNonNull(file, name).readAllBytes();
                } catch (IOException unreadable) {
                    throw new ClassNotFoundException(name, unreadable);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
