package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Programs;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The script {@code flockgate}, beside a built server, with a JDK that only records how it was
 * called.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class LauncherTest {
    private static final String JAVA = """
            #!/bin/sh
            printf '%s\\n' "$*" >>"$0.calls"
            umask >>"$0.umasks"
            printf '%s|%s\n' "${LC_ALL-unset}" "${FLOCKGATE_CALLER_LC_ALL-unset}" >>"$0.locales"
            echo "${FLOCKGATE_DESCRIPTORS-none}" >>"$0.descriptors"
            [ ! -e "$0.slow" ] || exec sleep 600
            for argument; do
                case $argument in
                    -XX:AOTCacheOutput=*) [ -e "$0.broken" ] || echo cache >"${argument#*=}" ;;
                esac
            done
            """;

    private record Ended(int status, String err) {}

    @TempDir
    Path temporary;

    private Path home;

    private Path jdk;
    private Path target;

    @BeforeEach
    void install() throws IOException {
        home = Files.createDirectories(temporary.resolve("with a space"));
        for (String script : List.of("flockgate", ".mvn/find-jdk")) {
            Programs.write(home.resolve(script), Files.readString(Repository.file(script)));
        }
        target = Files.createDirectories(home.resolve("gateway/target"));
        Files.createDirectories(target.resolve("lib"));
        Files.writeString(target.resolve("flockgate.jar"), "one");
        Files.writeString(target.resolve("lib/netty-1.jar"), "");
        jdk = jdk("25.0.1");
    }

    private Path jdk(String version) throws IOException {
        Path made = home.resolve("jdk-" + version);
        Programs.write(made.resolve("bin/java"), JAVA);
        Files.createSymbolicLink(made.resolve("bin/javac"), Path.of("java"));
        Files.writeString(made.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return made;
    }

    private Ended run(Map<String, String> variables, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve("flockgate").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("FLOCKGATE") || name.equals("JAVA_HOME"));
        environment.put("JAVA_HOME", jdk.toString());
        environment.putAll(variables);
        Process process = builder.start();
        process.getOutputStream().close();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(Programs.awaitEnd(process), err);
    }

    private void start(String... arguments) throws Exception {
        assertThat(run(Map.of(), arguments)).isEqualTo(new Ended(0, ""));
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(jdk.resolve("bin/java.calls"));
    }

    private long trainings() throws IOException {
        return calls().stream()
                .filter(call -> call.contains("-XX:AOTCacheOutput="))
                .count();
    }

    private List<String> caches() throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains(".aot"))
                    .toList();
        }
    }

    @Test
    void theFirstStartMakesACacheAndEachStartUsesIt() throws Exception {
        start("--port", "0");
        start("--help");
        assertThat(caches()).singleElement().asString().matches("flockgate-server-\\d+\\.aot");
        String cache = " -XX:AOTCache=" + target.toRealPath().resolve(caches().getFirst()) + " ";
        assertThat(calls()).hasSize(4);
        assertThat(calls().get(0))
                .contains(" -XX:AOTCacheOutput=")
                .endsWith("flockgate.jar io.flockgate.gateway.Main --host 127.0.0.1 --port 0");
        assertThat(calls().get(1)).endsWith("--key key -- true").doesNotContain("AOT");
        assertThat(calls().get(2)).contains(cache).endsWith("flockgate.jar io.flockgate.gateway.Main --port 0");
        assertThat(calls().get(3)).contains(cache).endsWith("io.flockgate.gateway.Main --help");
    }

    @ParameterizedTest
    @CsvSource({
        "server, '', ''",
        "server, '', serve",
        "http, '', --http-port=6389",
        "http, 6389, serve",
        "command, '', ls",
        "command, '', run --key k -- true",
        "health, '', health --pid 1"
    })
    void eachKindOfProgramHasACacheOfItsOwn(String kind, String httpPort, String words) throws Exception {
        String[] arguments = words.isEmpty() ? new String[0] : words.split(" ");
        assertThat(run(Map.of("DFLOCKD_HTTP_PORT", httpPort), arguments)).isEqualTo(new Ended(0, ""));
        assertThat(caches()).singleElement().asString().matches("flockgate-" + kind + "-\\d+\\.aot");
        assertThat(calls().getLast()).contains("/flockgate-" + kind + "-").endsWith(words);
        boolean ofCommands = kind.equals("command") || kind.equals("health");
        assertThat(calls().getLast().contains(" -XX:TieredStopAtLevel=1 ")).isEqualTo(ofCommands);
    }

    @Test
    void allCachesAreMadeAtOnceForThoseWhoMayNotWriteThem() throws Exception {
        assertThat(run(Map.of("FLOCKGATE_AOT", "make"))).isEqualTo(new Ended(0, ""));
        assertThat(caches()).hasSize(4);
        assertThat(calls())
                .filteredOn(call -> call.contains(" -XX:AOTCacheOutput="))
                .satisfiesExactlyInAnyOrder(
                        server -> assertThat(server).endsWith("Main --host 127.0.0.1 --port 0"),
                        http -> assertThat(http).containsPattern(" --port 0 .*--http-port [1-9]\\d+$"),
                        command -> assertThat(command).endsWith("--key key -- true"),
                        health -> assertThat(health).containsPattern(" health --http-port [1-9]\\d+$"));
    }

    @Test
    void inADistributionItRunsTheJavaAndTheCacheBesideItAndNeedsNoOtherProgram() throws Exception {
        Path distribution = Files.createDirectories(temporary.resolve("flockgate 1"));
        Path launcher = Files.createDirectories(distribution.resolve("bin")).resolve("flockgate");
        Files.move(home.resolve("flockgate"), launcher);
        Files.createDirectories(distribution.resolve("app"));
        Files.writeString(distribution.resolve("app/id"), "abc\n");
        Files.createDirectories(distribution.resolve("native"));
        Files.createDirectories(distribution.resolve("cache"));
        Files.createFile(distribution.resolve("cache/flockgate-server-abc.aot"));
        jdk = Files.move(jdk, distribution.resolve("runtime"));
        ProcessBuilder builder = new ProcessBuilder(launcher.toString(), "--port", "0");
        builder.environment().remove("JAVA_HOME");
        builder.environment().put("PATH", "/nowhere");
        Process process = builder.start();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(err).isZero();
        Path real = distribution.toRealPath();
        assertThat(calls())
                .singleElement()
                .asString()
                .contains("-Djava.library.path=" + real.resolve("native"))
                .contains("-XX:AOTCache=" + real.resolve("cache/flockgate-server-abc.aot"))
                .endsWith("-cp " + real.resolve("app/flockgate.jar") + " io.flockgate.gateway.Main --port 0");
    }

    @Test
    void aCacheOfAnotherJarIsNeverUsedHoweverOldTheJarIs() throws Exception {
        start();
        List<String> before = caches();
        Path jar = target.resolve("flockgate.jar");
        var time = Files.getLastModifiedTime(jar);
        Files.writeString(jar, "two");
        Files.setLastModifiedTime(jar, time);
        start();
        assertThat(caches()).hasSize(1).doesNotContainAnyElementsOf(before);
        assertThat(calls().getLast()).contains(caches().getFirst());
        assertThat(trainings()).isEqualTo(2);
    }

    @Test
    void aCacheOfOtherLibrariesOrAnotherJdkIsNotUsed() throws Exception {
        start();
        Files.move(target.resolve("lib/netty-1.jar"), target.resolve("lib/netty-2.jar"));
        start();
        assertThat(trainings()).isEqualTo(2);
        Files.writeString(target.resolve("lib/flockgate-storage-spi-1.jar"), "one");
        start();
        Path ours = target.resolve("lib/flockgate-storage-spi-1.jar");
        var time = Files.getLastModifiedTime(ours);
        Files.writeString(ours, "two");
        Files.setLastModifiedTime(ours, time);
        start();
        assertThat(trainings()).isEqualTo(4);
        jdk = jdk("26");
        start();
        assertThat(trainings()).isOne();
        assertThat(caches()).hasSize(1);
    }

    @Test
    void withoutACacheItStartsAsWellAndDoesNotTryAgain() throws Exception {
        Files.createFile(jdk.resolve("bin/java.broken"));
        start();
        start();
        assertThat(caches()).isEmpty();
        assertThat(trainings()).isOne();
        assertThat(calls().getLast()).doesNotContain("AOT").contains("Main");
    }

    @Test
    void whereNothingCanBeWrittenItStartsWithoutACache() throws Exception {
        Files.createDirectory(target.resolve("flockgate-server-1.aot"));
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            start();
            start();
            assertThat(calls().getLast()).contains("Main");
        } finally {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void aSignalEndsItWhileItMakesTheCache() throws Exception {
        Files.createFile(jdk.resolve("bin/java.slow"));
        ProcessBuilder builder = new ProcessBuilder(home.resolve("flockgate").toString()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", jdk.toString());
        Process process = builder.start();
        Path calls = jdk.resolve("bin/java.calls");
        while (process.isAlive() && (!Files.exists(calls) || Files.size(calls) == 0)) {
            Thread.sleep(5);
        }
        // Not Process.destroy, which closes the pipe of its output at once.
        assertThat(process.toHandle().destroy()).isTrue();
        assertThat(Programs.awaitEnd(process)).isEqualTo(143);
        assertThat(caches()).isEmpty();
        assertThat(calls()).hasSize(1);
    }

    @Test
    void itsVariablesAddOptionsAndTurnTheCacheOff() throws Exception {
        Ended ended = run(Map.of("FLOCKGATE_AOT", "off", "FLOCKGATE_OPTS", "-Xmx2g -Dx=y"), "--version");
        assertThat(ended.status()).isZero();
        assertThat(calls())
                .singleElement()
                .asString()
                .contains(" -Xmx2g -Dx=y -cp ")
                .doesNotContain("AOT");
    }

    @Test
    void itWritesTheArgumentsOfAStartForOneWithoutAShell() throws Exception {
        start("health", "--pid", "1");
        Path file = temporary.resolve("arguments");
        assertThat(run(Map.of("FLOCKGATE_ARGUMENTS", file.toString()), "health", "--pid", "1"))
                .isEqualTo(new Ended(0, ""));
        assertThat(calls()).hasSize(3);
        List<String> written = Files.readAllLines(file);
        assertThat(written).allMatch(line -> line.startsWith("\"") && line.endsWith("\""));
        assertThat(written.stream()
                        .map(line -> line.substring(1, line.length() - 1))
                        .collect(Collectors.joining(" ")))
                .isEqualTo(calls().getLast());
    }

    @Test
    void itEndsWithoutMemoryAndItsCrashFilesAreItsUsersOnly() throws Exception {
        start();
        assertThat(calls().getLast()).contains("-XX:+ExitOnOutOfMemoryError");
        assertThat(Files.readAllLines(jdk.resolve("bin/java.umasks")).getLast()).isEqualTo("0077");
    }

    @Test
    void theDescriptorsOfTheCallerAreListedForRunAlone() throws Exception {
        start("run", "--key", "k", "--", "true");
        for (String word : List.of("run", "ls")) {
            // Descriptor 3 is like that of make's job server: a pipe that is read without blocking.
            ProcessBuilder builder = new ProcessBuilder(
                    "/bin/bash",
                    "-c",
                    ": | { dd iflag=nonblock count=0; exec \"$0\" " + word + " 3<&0 4>&1 63</dev/null; }",
                    home.resolve("flockgate").toString());
            builder.environment().put("JAVA_HOME", jdk.toString());
            assertThat(builder.start().waitFor()).isZero();
        }
        assertThat(Files.readAllLines(jdk.resolve("bin/java.descriptors")))
                .contains("3 4 63")
                .last()
                .isEqualTo("none");
    }

    @Test
    void theCommandOfRunKeepsUmaskAndLimitsOfItsCaller() throws Exception {
        start("ls");
        String cache = "-XX:AOTCache=" + target.toRealPath().resolve(caches().getFirst());
        ProcessBuilder builder = new ProcessBuilder(
                "/bin/sh",
                "-c",
                "umask 027; exec \"$0\" run --key k -- true",
                home.resolve("flockgate").toString());
        builder.environment().put("JAVA_HOME", jdk.toString());
        assertThat(builder.start().waitFor()).isZero();

        assertThat(calls().getLast()).contains("-XX:-MaxFDLimit", cache).endsWith("Main run --key k -- true");
        assertThat(Files.readAllLines(jdk.resolve("bin/java.umasks")).getLast()).isEqualTo("0027");
    }

    /**
     * Java decodes its arguments according to the locale, and as ASCII if the locale is not
     * installed.
     */
    @ParameterizedTest
    @CsvSource({
        "'', '', '', C.UTF-8|",
        "C, '', en_US.UTF-8, C.UTF-8|C",
        "POSIX, '', '', C.UTF-8|POSIX",
        "'', C, en_US.UTF-8, C.UTF-8|",
        "'', '', en_US.UTF-8, C.UTF-8|",
        "en_US.UTF-8, C, C, C.UTF-8|en_US.UTF-8",
        "de_DE.utf8@euro, '', '', C.UTF-8|de_DE.utf8@euro",
        "'', de_DE, '', C.UTF-8|",
        "'', '', C.UTF-8, |unset",
        "C.utf8, '', '', C.utf8|unset",
        "'', de_DE.ISO-8859-1, '', |unset",
        "de_DE.ISO-8859-1, '', '', de_DE.ISO-8859-1|unset"
    })
    void aLocaleThatMayNotBeUtf8IsReplacedForJava(String all, String ctype, String lang, String given)
            throws Exception {
        assertThat(run(Map.of("FLOCKGATE_AOT", "off", "LC_ALL", all, "LC_CTYPE", ctype, "LANG", lang), "--help"))
                .isEqualTo(new Ended(0, ""));
        assertThat(Files.readAllLines(jdk.resolve("bin/java.locales")).getLast())
                .isEqualTo(given);
    }
}
