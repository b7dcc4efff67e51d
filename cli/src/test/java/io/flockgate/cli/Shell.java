package io.flockgate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.cli.shared.InstalledGateway;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** Runs sub-commands in this JVM, and keeps all that they print. */
final class Shell {
    /** Knows two names and one right. */
    private static final InstalledGateway GATEWAY = new InstalledGateway() {
        @Override
        public Listeners listeners(List<String> flags, Map<String, String> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isTokenName(String name) {
            return List.of("ci", "unnamed").contains(name);
        }

        @Override
        public String tokenEntry(String name, String secret, List<String> allow) {
            if (!List.of("all").containsAll(allow)) {
                throw new IllegalArgumentException("unknown right " + allow.getLast());
            }
            return name + " " + secret + " " + allow;
        }
    };

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final String server;

    /** A shell without a server. */
    Shell() {
        this("127.0.0.1:1");
    }

    Shell(String server) {
        this.server = server;
    }

    /** Runs a line of words separated by blanks, and returns the exit status. */
    int run(String line) {
        List<String> words = List.of(line.split(" "));
        return SubCommands.run(
                words.getFirst(),
                words.subList(1, words.size()),
                Map.of("FLOCKGATE_SERVER", server),
                GATEWAY,
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
    }

    String out() {
        return out.toString(UTF_8);
    }

    String err() {
        return err.toString(UTF_8);
    }
}
