package io.flockgate.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Trains the JVM's ahead-of-time cache for the sub-commands: runs those that must be quick, against
 * a server in another process. This keeps the server's classes out of the cache: the JVM loads all
 * classes of its cache, and a command that waits for hours would keep them in memory.
 */
final class CommandTraining {
    private static final String LISTENING = "msg=\"http listening\"";

    private CommandTraining() {}

    /** Exits with a status other than 0 if a command cannot run; no cache is created then. */
    public static void main(String[] args) throws IOException {
        String port = String.valueOf(AotTraining.freePort());
        String httpPort = String.valueOf(AotTraining.freePort());
        Process server = new ProcessBuilder(serverCommand(port, httpPort))
                .redirectErrorStream(true)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
        BufferedReader log = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        String line = log.readLine();
        while (line != null && !line.contains(LISTENING)) {
            line = log.readLine();
        }
        String address = "127.0.0.1:" + port;
        Main.main(new String[] {"run", "--server", address, "--key", "key", "--", "true"});
        Main.main(new String[] {"lock", "--server", address, "--for", "1s", "other"});
        Main.main(new String[] {"health", "--http-port", httpPort});
        System.exit(0);
    }

    private static List<String> serverCommand(String port, String httpPort) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--host=127.0.0.1",
                "--port=" + port,
                "--http-port=" + httpPort);
    }
}
