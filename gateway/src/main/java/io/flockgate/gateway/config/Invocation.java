package io.flockgate.gateway.config;

import java.util.List;

/** A command line that has been read. Immutable. */
public sealed interface Invocation {
    /** Run the server. */
    record Serve(GatewayConfig config) implements Invocation {}

    /**
     * Run a sub-command.
     *
     * @param command the word that begins it
     * @param words those after it
     */
    record SubCommand(String command, List<String> words) implements Invocation {
        public SubCommand {
            words = List.copyOf(words);
        }
    }

    /** Print this text, which ends with a line feed, on standard output and exit with 0. */
    record Help(String text) implements Invocation {}

    /** Print the version on standard output and exit with 0. All settings were found valid. */
    record Version() implements Invocation {}

    /** Print {@link #line} on standard error and exit with 2, as sub-commands do. */
    record UnknownSubCommand(String message) implements Invocation {
        /** The message as the operator sees it: one line, without a line feed. */
        public String line() {
            return "flockgate: " + message;
        }
    }

    /** Print {@link #line} on standard error and exit with 1. */
    record Invalid(String message) implements Invocation {
        /** The message as the operator sees it: one line, without a line feed, without secrets. */
        public String line() {
            return "configuration error: " + message;
        }
    }
}
