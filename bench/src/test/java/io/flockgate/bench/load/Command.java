package io.flockgate.bench.load;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** One call of the command and what it printed. */
record Command(int exit, String out, String err) {

    static Command run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = LoadMain.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Command(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Briefly drives a server in this process. */
    static Command drive(int port, String options) {
        String usual =
                (options.contains("--seconds") ? "" : " --seconds 0.05") + " --warmup-seconds 0 --addr 127.0.0.1:"
                        + port + " --pid " + ProcessHandle.current().pid();
        return run((options + usual).split(" ", -1));
    }

    /** A figure of the report. */
    double figure(String name) {
        return Double.parseDouble(out.replaceAll("(?s).*\"" + name + "\":([-0-9.]+).*", "$1"));
    }
}
