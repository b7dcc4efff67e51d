package io.flockgate.cli.health;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A gateway that runs as a process on this host, as Linux reports it.
 *
 * @param flags the words of its command line
 * @param environment the variables that it was started with
 */
record RunningGateway(List<String> flags, Map<String, String> environment) {
    private static final String JAR = "flockgate.jar";
    private static final String MAIN = "io.flockgate.gateway.Main";

    RunningGateway {
        flags = List.copyOf(flags);
        environment = Map.copyOf(environment);
    }

    /**
     * @throws CommandException if there is no such process, it is not a gateway, or it belongs to
     *     another user
     */
    static RunningGateway of(String pid) {
        if (!pid.matches("[0-9]{1,10}")) {
            throw CommandException.failed("--pid must be the number of a process (got " + Quoting.quoted(pid) + ")");
        }
        List<String> words = strings(pid, "cmdline");
        int program = program(words);
        if (program < 0) {
            throw CommandException.failed("process " + pid + " is no gateway");
        }
        Map<String, String> variables = new HashMap<>();
        for (String line : strings(pid, "environ")) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                variables.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return new RunningGateway(words.subList(program + 1, words.size()), variables);
    }

    /** The index where Java's own options end: the class, or the jar after {@code -jar}. */
    private static int program(List<String> words) {
        int main = words.indexOf(MAIN);
        int jar = words.indexOf("-jar") + 1;
        return main >= 0 || jar == 0 || jar == words.size() || !words.get(jar).endsWith(JAR) ? main : jar;
    }

    private static List<String> strings(String pid, String name) {
        Path file = Path.of("/proc", pid, name);
        try {
            String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            // Each string ends with a zero byte, and an empty one counts as a word.
            List<String> parts = List.of(text.split("\0", -1));
            return parts.subList(0, parts.size() - 1);
        } catch (IOException e) {
            throw CommandException.failed("process " + pid + " cannot be read: " + Reason.of(e));
        }
    }
}
