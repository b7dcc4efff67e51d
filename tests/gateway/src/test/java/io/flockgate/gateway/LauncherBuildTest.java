package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.testsupport.Programs;
import io.flockgate.testsupport.Repository;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The script {@code flockgate} in sources that are not built yet, with a Maven that only records
 * how it was called. The usual places of JDKs are below the test's own directory.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class LauncherBuildTest {
    private static final String NO_JDK =
            "flockgate: a JDK 25 or newer is missing: install one, such as Eclipse Temurin or Debian's openjdk-25-jdk, and set JAVA_HOME if it is in no usual place\n";

    @TempDir
    Path machine;

    private Path sources;

    @BeforeEach
    void checkOut() throws IOException {
        sources = Files.createDirectories(machine.resolve("sources with a space"));
        Files.createDirectories(sources.resolve("gateway/src"));
        Files.writeString(sources.resolve("pom.xml"), "");
        Programs.write(sources.resolve("flockgate"), Files.readString(Repository.file("flockgate")));
        Programs.write(
                sources.resolve(".mvn/find-jdk"),
                Pattern.compile("(?<= )/(?=usr/|opt/|Library/)")
                        .matcher(Files.readString(Repository.file(".mvn/find-jdk")))
                        .replaceAll(machine + "/"));
        Programs.write(machine.resolve("tools/java"), "#!/bin/sh\nexit 9\n");
    }

    private void maven(String commands) throws IOException {
        Programs.write(
                machine.resolve("tools/mvn"), "#!/bin/sh\necho \"$JAVA_HOME|$PWD|$*\" >>\"$0.calls\"\n" + commands);
    }

    private void mavenThatBuilds() throws IOException {
        maven("mkdir -p gateway/target/lib && echo jar >gateway/target/flockgate.jar\n");
    }

    @CanIgnoreReturnValue
    private Path jdk(String place, String version) throws IOException {
        Path made = machine.resolve(place);
        Programs.write(made.resolve("bin/java"), "#!/bin/sh\n[ -e \"$0\" ] && echo started\n");
        Programs.write(made.resolve("bin/javac"), "#!/bin/sh\nexit 9\n");
        Files.writeString(made.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return made;
    }

    private Process process(Map<String, String> variables, String script, String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(sources.resolve(script).toString());
        builder.command().addAll(List.of(arguments));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("FLOCKGATE") || name.startsWith("JAVA"));
        environment.put("HOME", machine.resolve("home").toString());
        environment.put("PATH", machine.resolve("tools") + ":" + environment.get("PATH"));
        environment.put("FLOCKGATE_AOT", "off");
        environment.putAll(variables);
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        return process;
    }

    /** The exit status and all output. */
    private String run(Map<String, String> variables, String script, String... arguments) throws Exception {
        Process process = process(variables, script, arguments);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Programs.awaitEnd(process) + " " + output;
    }

    private List<String> mavenCalls() throws IOException {
        return Files.readAllLines(machine.resolve("tools/mvn.calls"));
    }

    @Test
    void mavenRunsOnTheJdkThatWasFound() throws Exception {
        mavenThatBuilds();
        Path old = jdk("usr/lib/jvm/17", "17.0.1");
        Path found = jdk("opt/jdk-25", "25.0.1");
        String first = run(Map.of("JAVA_HOME", old.toString()), "flockgate", "--port", "0");
        assertThat(first)
                .startsWith("0 ")
                .contains("the first build takes about two minutes")
                .endsWith("\nstarted\n");
        assertThat(mavenCalls())
                .singleElement()
                .asString()
                .startsWith(found + "|" + sources.toRealPath() + "|")
                .endsWith(" -pl gateway -am package");
        assertThat(run(Map.of(), "flockgate")).isEqualTo("0 started\n");
        assertThat(mavenCalls()).hasSize(1);
    }

    @Test
    void ofTwoStartsOneBuildsAndTheOtherWaits() throws Exception {
        maven("sleep 1; mkdir -p gateway/target/lib && echo jar >gateway/target/flockgate.jar\n");
        jdk("opt/jdk-25", "25.0.1");
        Process first = process(Map.of(), "flockgate");
        Process second = process(Map.of(), "flockgate");
        List<String> outputs = List.of(
                new String(first.getInputStream().readAllBytes(), StandardCharsets.UTF_8),
                new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertThat(outputs).allMatch(output -> output.endsWith("started\n"));
        assertThat(outputs)
                .filteredOn(
                        output -> output.equals("flockgate: waiting for another start, which is building\nstarted\n"))
                .hasSize(1);
        assertThat(mavenCalls()).hasSize(1);
    }

    @Test
    void theJdkOfJavaHomeIsPreferredToThatOfThePathAndTheUsualPlaces() throws Exception {
        Path usual = jdk("usr/lib/jvm/a", "25.0.1");
        assertThat(run(Map.of(), ".mvn/find-jdk")).isEqualTo("0 " + usual + "\n");
        Path onPath = jdk("elsewhere", "25.0.1").toRealPath();
        Map<String, String> path = Map.of("PATH", onPath.resolve("bin") + ":" + System.getenv("PATH"));
        assertThat(run(path, ".mvn/find-jdk")).isEqualTo("0 " + onPath + "\n");
        Path named = jdk("named", "26");
        assertThat(run(Map.of("JAVA_HOME", named.toString()), ".mvn/find-jdk")).isEqualTo("0 " + named + "\n");
    }

    @Test
    void withoutAJdkOneLineSaysWhatHelps() throws Exception {
        jdk("usr/lib/jvm/21", "21.0.2");
        Files.delete(jdk("opt/jdk-25-jre", "25.0.1").resolve("bin/javac"));
        assertThat(run(Map.of(), "flockgate")).isEqualTo("1 " + NO_JDK);
        assertThat(run(Map.of(), ".mvn/find-jdk", "maven")).isEqualTo("1 " + NO_JDK);
    }

    @Test
    void mavenOnAnOlderJavaIsToldOfAJdkThatItDoesNotSearchFor() throws Exception {
        Path found = jdk("opt/jdk-25", "25.0.1");
        assertThat(run(Map.of(), ".mvn/find-jdk", "maven"))
                .isEqualTo("1 flockgate: Maven runs on an older Java and does not search " + found.getParent()
                        + ": set JAVA_HOME=" + found + "\n");
        assertThat(run(Map.of("JAVA25_HOME", found.toString()), ".mvn/find-jdk", "maven"))
                .isEqualTo("0 ");
        Files.createDirectories(machine.resolve("home/.m2"));
        Files.createFile(machine.resolve("home/.m2/toolchains.xml"));
        assertThat(run(Map.of(), ".mvn/find-jdk", "maven")).isEqualTo("0 ");
    }

    @Test
    void withoutMavenOneLineSaysWhatHelps() throws Exception {
        Path jdk = jdk("opt/jdk-25", "25.0.1");
        for (String tool : List.of("dirname", "readlink", "env", "sed", "grep", "find", "head")) {
            Programs.write(machine.resolve("tools/" + tool), "#!/bin/sh\nexec " + which(tool) + " \"$@\"\n");
        }
        String path = machine.resolve("tools").toString();
        assertThat(run(Map.of("PATH", path, "JAVA_HOME", jdk.toString()), "flockgate"))
                .isEqualTo(
                        "1 flockgate: Maven 3.8.7 or newer is missing: install it, for instance with 'apt install maven', or put its 'mvn' on PATH\n");
    }

    private static Path which(String tool) {
        return Pattern.compile(":")
                .splitAsStream(System.getenv("PATH"))
                .map(folder -> Path.of(folder, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachModuleIsShownWhileMavenBuildsIt() throws Exception {
        jdk("opt/jdk-25", "25.0.1");
        maven("""
                echo '[INFO] Building Flockgate client 0.1.0                        [3/13]'
                echo '[INFO]   from client/core/pom.xml'
                for tenth in $(seq 300); do [ -e shown ] || sleep 0.1; done
                mkdir -p gateway/target/lib && echo jar >gateway/target/flockgate.jar
                """);
        Process process = process(Map.of(), "flockgate");
        BufferedReader output = process.inputReader();
        assertThat(output.readLine()).contains("building; ");
        assertThat(Objects.requireNonNull(output.readLine()))
                .matches("flockgate: module 3 of 13, Flockgate client, after \\d+ s");
        Files.createFile(sources.resolve("shown"));
        assertThat(output.readAllAsString()).isEqualTo("started\n");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void withoutANetworkOneLineSaysWhatHelps() throws Exception {
        jdk("opt/jdk-25", "25.0.1");
        String reason = "Could not transfer artifact a:b:pom:1 from/to central (https://repo.example): Unknown host";
        maven("echo '[ERROR] Plugin x could not be resolved: " + reason + "'; echo '[ERROR] Re-run Maven'; exit 1\n");
        assertThat(run(Map.of(), "flockgate").lines().skip(1))
                .containsExactly(
                        "flockgate: the network is missing: Maven must download libraries once, directly or through the proxy or mirror in ~/.m2/settings.xml. It reports: "
                                + reason);
    }

    @Test
    void aFailedBuildShowsTheErrorsAndKeepsTheRest() throws Exception {
        jdk("opt/jdk-25", "25.0.1");
        maven("echo '[INFO] compiling'; echo '[ERROR] A.java: ; missing'; echo '  a line of code'; exit 1\n");
        List<String> output =
                run(Map.of("TMPDIR", machine.toString()), "flockgate").lines().toList();
        assertThat(output).hasSize(4).contains("[ERROR] A.java: ; missing", "  a line of code");
        String log =
                output.getLast().replaceFirst("^flockgate: the build failed; the whole output of Maven is in ", "");
        assertThat(Path.of(log)).content().startsWith("[INFO] compiling\n");
    }

    @Test
    void aSignalEndsTheBuild() throws Exception {
        jdk("opt/jdk-25", "25.0.1");
        maven("echo '[INFO] Building x 1  [1/2]'; exec sleep 120\n");
        Process process = process(Map.of("TMPDIR", machine.toString()), "flockgate");
        BufferedReader output = process.inputReader();
        assertThat(output.readLine()).contains("building; ");
        assertThat(output.readLine()).contains("module 1 of 2");
        List<ProcessHandle> started = process.descendants().toList();
        assertThat(started).isNotEmpty();
        assertThat(process.toHandle().destroy()).isTrue();
        assertThat(Programs.awaitEnd(process)).isEqualTo(143);
        for (ProcessHandle handle : started) {
            handle.onExit().get(60, TimeUnit.SECONDS);
        }
        assertThat(machine.toFile().list((folder, name) -> name.startsWith("tmp.")))
                .isEmpty();
    }
}
