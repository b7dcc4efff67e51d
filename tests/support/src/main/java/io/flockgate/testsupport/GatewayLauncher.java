package io.flockgate.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The command line of a gateway process: its program, followed by its flags. A later flag replaces
 * an earlier one.
 */
public final class GatewayLauncher {
    private static final int STARTS = 3;
    private static final int MAX_WORD = 100;

    /**
     * Resets ignored signals, which children inherit: a shell without job control starts background
     * processes with SIGINT ignored, and nohup starts its command with SIGHUP ignored.
     */
    private static final List<String> DEFAULT_SIGNALS = List.of("env", "--default-signal=INT,HUP");

    /**
     * A watcher next to the process reads a pipe that only this JVM writes, and kills the process
     * when the pipe ends. The start time shows whether the process id still belongs to that
     * process.
     */
    private static final String LAUNCH = """
            born() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
            self=$$
            birth=$(born $self)
            exec 3<&0
            (read -r _ <&3
             if [ "$(born $self)" = "$birth" ]; then kill -9 $self; fi) >/dev/null 2>&1 &
            exec "$@" </dev/null 3<&-
            """;

    private final List<String> program;
    private final List<String> flags = new ArrayList<>();
    private final List<String> javaOptions = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private boolean cleanEnvironment = true;
    private Path directory = Path.of("");
    private boolean http;

    private GatewayLauncher(List<String> program) {
        this.program = List.copyOf(program);
    }

    /** A gateway from the jar made by the build. */
    public static GatewayLauncher ofJar(String... flags) {
        return ofJar(jar(), flags);
    }

    /** The gateway's jar from another build, with its libraries next to it. */
    public static GatewayLauncher ofJar(Path jar, String... flags) {
        return java("-XX:AOTCache=" + ClassArchive.of(jar), "-jar", jar.toString())
                .flags(flags);
    }

    /**
     * The gateway's jar with the test classes of the current module on its class path, for their
     * storages. Starts without an archive.
     */
    public static GatewayLauncher ofJarAndTestClasses(String... flags) {
        String path =
                jar() + File.pathSeparator + Path.of("target", "test-classes").toAbsolutePath();
        return java("--enable-native-access=ALL-UNNAMED", "-cp", path, "io.flockgate.gateway.Main")
                .flags(flags);
    }

    /** A program chosen by the caller, with the environment of this JVM. */
    public static GatewayLauncher of(List<String> program) {
        GatewayLauncher launcher = new GatewayLauncher(program);
        launcher.cleanEnvironment = false;
        return launcher;
    }

    static GatewayLauncher java(String... arguments) {
        List<String> program = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        program.addAll(List.of(arguments));
        return new GatewayLauncher(program);
    }

    /**
     * The gateway's jar made by the build.
     *
     * @throws IllegalStateException if it has not been built
     */
    public static Path jar() {
        Path jar = Repository.file("gateway/target/flockgate.jar");
        if (Files.exists(jar)) {
            return jar;
        }
        throw new IllegalStateException(
                "no gateway/target/flockgate.jar: mvn -pl gateway -am package -DskipTests makes it");
    }

    public GatewayLauncher flags(String... more) {
        flags.addAll(List.of(more));
        return this;
    }

    /** Additional options for Java itself; the last of several counts. */
    public GatewayLauncher javaOptions(String... options) {
        javaOptions.addAll(List.of(options));
        return this;
    }

    /** Uses the Consul at this address. */
    public GatewayLauncher onConsul(URI consul) {
        return flags("--storage=consul", "--consul-addr=" + consul);
    }

    /** Starts the process in this directory, and not in that of this JVM. */
    public GatewayLauncher directory(Path where) {
        directory = where;
        return this;
    }

    public GatewayLauncher environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /**
     * Also listens for HTTP, on a port that was free a moment ago, because no flag requests any
     * free port.
     */
    public GatewayLauncher withHttp() {
        http = true;
        return this;
    }

    /**
     * A gateway that listens on its own ports.
     *
     * @throws AssertionError if it does not get that far, with its log
     */
    public GatewayProcess start() throws InterruptedException {
        QuickBuild.refusePrograms();
        for (int attempt = 1; ; attempt++) {
            GatewayProcess process = launch(listening());
            try {
                process.awaitListening(http);
                return process;
            } catch (AssertionError | InterruptedException e) {
                process.close();
                if (attempt == STARTS || !String.valueOf(e.getMessage()).contains("in use")) {
                    throw e;
                }
            }
        }
    }

    /** A process with only the given flags, which may end at once. */
    public GatewayProcess launch() {
        return launch(flags);
    }

    private List<String> listening() {
        List<String> all = new ArrayList<>(List.of("--port=0"));
        all.addAll(flags);
        if (http) {
            all.add("--http-port=" + Ports.adjacent(1, List.of(Acceptor.LOOPBACK)));
        }
        return all;
    }

    private GatewayProcess launch(List<String> arguments) {
        List<String> command = new ArrayList<>(program);
        // After the options that the program has in any case.
        command.addAll(javaOptions.isEmpty() ? command.size() : command.indexOf("-XX:+UseSerialGC") + 1, javaOptions);
        command.addAll(arguments);
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", LAUNCH, "sh"));
        line.addAll(DEFAULT_SIGNALS);
        line.addAll(command);
        try {
            ProcessBuilder builder = new ProcessBuilder(line);
            if (cleanEnvironment) {
                builder.environment().keySet().removeIf(GatewayLauncher::isSetting);
            }
            builder.environment().putAll(environment);
            builder.directory(directory.toAbsolutePath().toFile());
            return new GatewayProcess(builder.start(), shown(command));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command without the bulk of class paths and scripts. */
    private static String shown(List<String> command) {
        return command.stream()
                .map(word -> word.length() > MAX_WORD ? word.substring(0, MAX_WORD) + "…" : word)
                .collect(Collectors.joining(" "));
    }

    private static boolean isSetting(String variable) {
        return variable.startsWith("DFLOCKD_")
                || variable.startsWith("FLOCKGATE_")
                || variable.startsWith("CONSUL_")
                || variable.contains("JAVA");
    }
}
