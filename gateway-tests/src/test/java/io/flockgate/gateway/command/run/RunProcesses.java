package io.flockgate.gateway.command.run;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts {@code flockgate run} as a process. */
final class RunProcesses {
    private RunProcesses() {}

    /** In a session of its own: on a terminal's foreground, signals that the terminal sends are not forwarded. */
    static GatewayProcess run(String server, String... args) {
        List<String> line = new ArrayList<>(List.of("setsid"));
        line.addAll(java());
        line.addAll(List.of("run", "--server=" + server));
        line.addAll(List.of(args));
        return GatewayLauncher.of(line).launch();
    }

    /** The command line of the gateway's program, without its arguments. */
    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.flockgate.gateway.Main");
    }
}
