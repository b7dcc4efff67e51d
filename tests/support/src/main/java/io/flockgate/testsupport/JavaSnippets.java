package io.flockgate.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
 * Compiles the examples in Javadoc and pages. An example is the body of a method, whose
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

    /**
     * The errors of the compiler, each with its example.
     *
     * @param imports packages and types, in addition to those of the client
     * @param members fields and methods that the examples use
     */
    public List<String> errors(List<String> imports, String members) throws IOException {
        String head = Stream.concat(CLIENT.stream(), imports.stream())
                .map(each -> "import " + each + ";\n")
                .collect(Collectors.joining());
        List<String> errors = new ArrayList<>();
        for (Snippet snippet : snippets) {
            String source = head + "@SuppressWarnings(\"all\") abstract class Example {\n" + members
                    + "\nvoid example() throws Exception {\n" + snippet.code() + "\n}\n}\n";
            errors.addAll(compile(source).stream()
                    .map(error -> snippet.type() + ": " + error + "\n" + snippet.code())
                    .toList());
        }
        return errors;
    }

    private static List<String> compile(String source) throws IOException {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        String path = System.getProperty("java.class.path", "")
                + File.pathSeparator
                + System.getProperty("jdk.module.path", "");
        try (JavaFileManager files = new Discarding(compiler.getStandardFileManager(found, Locale.ROOT, null))) {
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

    /** Writes no classes. */
    private static final class Discarding extends ForwardingJavaFileManager<JavaFileManager> {
        Discarding(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, javax.tools.FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("string:///" + className + ".class"), kind) {
                @Override
                public java.io.OutputStream openOutputStream() {
                    return java.io.OutputStream.nullOutputStream();
                }
            };
        }
    }
}
