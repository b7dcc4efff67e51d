package io.flockgate.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles the examples in Javadoc and pages, to be run. An example is the body of a method, whose
 * surroundings the test provides.
 */
public final class JavaSnippets {
    private static final String JAVADOC = "{@snippet :\n";
    private static final Pattern MARKDOWN = Pattern.compile("```java\\n(.*?)```\\n", Pattern.DOTALL);

    /** The imports that examples of the Java client use implicitly. */
    private static final List<String> CLIENT =
            List.of("io.flockgate.client.*", "java.net.URI", "java.time.Duration", "java.util.*");

    private final List<Snippet> snippets;

    private record Snippet(String type, String code) {}

    private JavaSnippets(List<Snippet> snippets) {
        this.snippets = snippets;
    }

    /** The snippets in the Javadoc of all types below a directory. */
    public static JavaSnippets ofSources(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return new JavaSnippets(files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .flatMap(file -> snippets(file, JavaSnippets::ofJavadoc))
                    .toList());
        }
    }

    /** The Java code of a page in Markdown. */
    public static JavaSnippets ofPage(Path page) {
        return new JavaSnippets(snippets(page, JavaSnippets::ofMarkdown).toList());
    }

    private static Stream<Snippet> snippets(Path file, Function<String, List<String>> codes) {
        String name = file.toString().replaceAll(".*/", "").replaceAll("\\..*", "");
        try {
            return codes.apply(Files.readString(file)).stream().map(code -> new Snippet(name, code));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<String> ofMarkdown(String text) {
        return MARKDOWN.matcher(text).results().map(match -> match.group(1)).toList();
    }

    /** A snippet ends where its braces do. */
    private static List<String> ofJavadoc(String text) {
        List<String> codes = new ArrayList<>();
        for (int begin = text.indexOf(JAVADOC); begin >= 0; begin = text.indexOf(JAVADOC, begin + 1)) {
            int depth = 1;
            int end = begin + 1;
            for (; depth > 0; end++) {
                char c = text.charAt(end);
                depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            }
            String code = text.substring(begin + JAVADOC.length(), end - 1);
            codes.add(code.replaceAll("(?m)^ *\\* ?", ""));
        }
        return codes;
    }

    /** The types, or pages, that have examples. */
    public Set<String> types() {
        return snippets.stream().map(Snippet::type).collect(Collectors.toSet());
    }

    /** The same with each part that matches this pattern replaced. */
    public JavaSnippets replacing(String regex, String replacement) {
        return new JavaSnippets(snippets.stream()
                .map(each -> new Snippet(each.type(), each.code().replaceAll(regex, replacement)))
                .toList());
    }

    /**
     * The examples as classes, each with its code as the method {@code example}.
     *
     * @param imports packages and types, in addition to those of the client
     * @param surroundings has this method as an abstract one, and all that the examples use
     * @throws AssertionError with the compiler's errors
     */
    public <T> List<Class<? extends T>> compiled(List<String> imports, Class<T> surroundings) throws Exception {
        String head = Stream.concat(CLIENT.stream(), imports.stream())
                .map(each -> "import " + each + ";\n")
                .collect(Collectors.joining());
        List<Class<? extends T>> examples = new ArrayList<>();
        for (Snippet snippet : snippets) {
            String source = head + "@SuppressWarnings(\"all\") public class Example extends "
                    + surroundings.getCanonicalName() + " {\npublic void example() throws Exception {\n"
                    + snippet.code()
                    + "\n}\n}\n";
            Classes classes = new Classes(surroundings.getClassLoader());
            List<String> errors = compile(source, classes);
            if (!errors.isEmpty()) {
                throw new AssertionError(snippet.type() + ": " + errors + "\n" + snippet.code());
            }
            examples.add(classes.loadClass("Example").asSubclass(surroundings));
        }
        return examples;
    }

    private static List<String> compile(String source, Classes classes) throws IOException {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        String path = System.getProperty("java.class.path", "")
                + File.pathSeparator
                + System.getProperty("jdk.module.path", "");
        try (JavaFileManager files = new Output(compiler.getStandardFileManager(found, Locale.ROOT, null), classes)) {
            JavaFileObject file = new Source(source);
            boolean unused = compiler.getTask(
                            null, files, found, List.of("-cp", path, "-proc:none"), null, List.of(file))
                    .call();
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(Locale.ROOT))
                .toList();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Example.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** The classes of one example. */
    private static final class Classes extends ClassLoader {
        private final Map<String, ByteArrayOutputStream> code = new HashMap<>();

        Classes(ClassLoader parent) {
            super(parent);
        }

        OutputStream add(String name) {
            return code.computeIfAbsent(name, missing -> new ByteArrayOutputStream());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            ByteArrayOutputStream written = code.get(name);
            if (written == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = written.toByteArray();
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        private final Classes classes;

        Output(JavaFileManager files, Classes classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, javax.tools.FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("string:///" + className + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return classes.add(className);
                }
            };
        }
    }
}
