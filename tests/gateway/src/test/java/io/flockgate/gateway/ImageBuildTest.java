package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image's build step in a copy of what Docker sends by the rules of {@code .dockerignore}. */
class ImageBuildTest {
    private static final Path ROOT = Repository.ROOT;
    private static final Pattern MAVEN = Pattern.compile("(?m)^RUN (mvn .*) -pl gateway -am package \\\\$");
    private static final Pattern PACKED = Pattern.compile("\"\\$sources/([^\"$]+)\"");

    @TempDir
    Path context;

    private record Rule(boolean sends, Pattern path) {
        private static final Pattern PART = Pattern.compile("\\*\\*/|\\*\\*|\\*|\\?|[^*?]+");

        static Rule of(String line) {
            boolean sends = line.startsWith("!");
            String path = PART.matcher(sends ? line.substring(1) : line)
                    .replaceAll(part -> Matcher.quoteReplacement(regex(part.group())));
            // A rule for a directory holds for all that is below.
            return new Rule(sends, Pattern.compile(path + "(/.*)?"));
        }

        private static String regex(String part) {
            return switch (part) {
                case "**/" -> "(.*/)?";
                case "**" -> ".*";
                case "*" -> "[^/]*";
                case "?" -> "[^/]";
                default -> Pattern.quote(part);
            };
        }
    }

    @BeforeEach
    void copyWhatDockerSends() throws IOException {
        List<Rule> rules = rules();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (!sent(directory, rules)) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(context.resolve(ROOT.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (sent(file, rules)) {
                    Files.copy(
                            file,
                            context.resolve(ROOT.relativize(file)),
                            StandardCopyOption.COPY_ATTRIBUTES,
                            LinkOption.NOFOLLOW_LINKS);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static List<Rule> rules() throws IOException {
        return Files.readAllLines(ROOT.resolve(".dockerignore")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> Rule.of(line.strip()))
                .toList();
    }

    /** The last rule that matches counts. */
    private static boolean sent(Path file, List<Rule> rules) {
        String path = ROOT.relativize(file).toString();
        return rules.reversed().stream()
                .filter(rule -> rule.path().matcher(path).matches())
                .findFirst()
                .map(Rule::sends)
                .orElse(true);
    }

    @Test
    @Tag("process")
    void theCompilerOfTheImageStartsAndAcceptsAModule() throws Exception {
        Matcher step = MAVEN.matcher(Files.readString(ROOT.resolve("Dockerfile")));
        assertThat(step.find()).isTrue();
        List<String> maven = new ArrayList<>(List.of(step.group(1).split(" ")));
        maven.addAll(List.of("-f", context.toString(), "-pl", "storage-spi/text", "-am", "compile"));
        // The repository of the Maven that runs this test, so that nothing is fetched again.
        String repository = System.getProperty("localRepository");
        if (repository != null) {
            maven.add("-Dmaven.repo.local=" + repository);
        }
        try (GatewayProcess build = GatewayLauncher.of(maven)
                .environment("JAVA_HOME", System.getProperty("java.home"))
                // The outer Maven adds the options of its own .mvn/jvm.config here.
                .environment("MAVEN_OPTS", "")
                .launch()) {
            int status = build.exitStatus(Duration.ofMinutes(5));
            assertThat(status).as(build.out() + build.err()).isZero();
        }
        assertThat(context.resolve("storage-spi/text/target/classes/io/flockgate"))
                .isDirectory();
    }

    @Test
    void theDistributionInTheImageFindsItsFiles() throws IOException {
        List<String> packed = PACKED.matcher(Files.readString(ROOT.resolve("deploy/dist/build")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(packed)
                .contains("flockgate", "deploy/dist/README.md")
                .allSatisfy(file -> assertThat(context.resolve(file)).exists());
    }
}
