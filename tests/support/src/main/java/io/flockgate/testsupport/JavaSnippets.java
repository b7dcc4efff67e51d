package io.flockgate.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
     * @param directory holds the classes, which must be used while it exists
     * @param imports packages and types, in addition to those of the client
     * @param surroundings has this method as an abstract one, and all that the examples use
     * @throws AssertionError with the compiler's errors
     */
    public <T> List<Class<? extends T>> compiled(Path directory, List<String> imports, Class<T> surroundings)
            throws Exception {
        String head = Stream.concat(CLIENT.stream(), imports.stream())
                .map(each -> "import " + each + ";\n")
                .collect(Collectors.joining());
        List<Class<? extends T>> examples = new ArrayList<>();
        for (Snippet snippet : snippets) {
            String source = head + "@SuppressWarnings(\"all\") public class Example extends "
                    + surroundings.getCanonicalName() + " {\npublic void example() throws Exception {\n"
                    + snippet.code()
                    + "\n}\n}\n";
            Path classes = directory.resolve("example-" + examples.size());
            String errors = compile(classes, source);
            if (!errors.isEmpty()) {
                throw new AssertionError(snippet.type() + ": " + errors + "\n" + snippet.code());
            }
            ClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, surroundings.getClassLoader());
            examples.add(loader.loadClass("Example").asSubclass(surroundings));
        }
        return examples;
    }

    private static String classPath() {
        return System.getProperty("java.class.path", "")
                + File.pathSeparator
                + System.getProperty("jdk.module.path", "");
    }

    /** Compiles a class into a directory, and returns the compiler's errors; empty without any. */
    private static String compile(Path directory, String source) throws IOException {
        Files.createDirectories(directory);
        Path file = Files.writeString(directory.resolve("Example.java"), source);
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        String[] arguments = {"-d", directory.toString(), "-cp", classPath(), "-proc:none", "-nowarn", file.toString()};
        int status = ToolProvider.getSystemJavaCompiler().run(null, errors, errors, arguments);
        return status == 0 ? "" : errors.toString(StandardCharsets.UTF_8);
    }
}
