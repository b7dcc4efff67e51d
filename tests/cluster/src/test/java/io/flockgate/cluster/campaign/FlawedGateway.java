package io.flockgate.cluster.campaign;

import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** Stands between clients and a sound gateway, and breaks it. Thread-safe. */
final class FlawedGateway implements AutoCloseable {
    /** What is wrong with it. */
    enum Flaw {
        NONE,
        /** Grants without regard to the limit. */
        GRANTS_ALWAYS,
        /** A claim is queued only when its client begins to wait. */
        QUEUES_LATE,
        /** Fences fall. */
        FENCES_FALL,
        /** Some releases are answered, but not carried out. */
        FORGETS_RELEASES,
        /** Ends some grants as soon as they are made. */
        TAKES_AWAY,
        /** Answers with errors now and then. */
        FAILS
    }

    private static final int SOME = 15;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern FENCE = Pattern.compile("\\b[0-9a-f]{16}(?=[0-9a-f]{16}\\b)");

    private final GatewayProcess sound;
    private final Flaw flaw;
    private final AtomicInteger count = new AtomicInteger();
    private final ScriptedServer server = ScriptedServer.ofConnections(this::serve);

    FlawedGateway(GatewayProcess sound, Flaw flaw) {
        this.sound = sound;
        this.flaw = flaw;
    }

    int port() {
        return server.port();
    }

    private void serve(Socket socket) throws IOException {
        Map<String, String> enqueued = new HashMap<>();
        LineClient client = LineClient.over(socket).patience(PATIENCE);
        try (LineClient gateway = sound.client().patience(PATIENCE)) {
            if (flaw == Flaw.FORGETS_RELEASES) {
                // The end of a connection would release what is forgotten.
                String unused = gateway.ask("hello", "flawed", "detached");
            }
            while (true) {
                String command = client.line();
                String key = flaw + "-" + client.line();
                client.send(answer(gateway, command, key, client.line(), enqueued) + "\n");
            }
        }
    }

    private boolean isSometimes() {
        return count.incrementAndGet() % SOME == 0;
    }

    private String answer(LineClient gateway, String command, String key, String argument, Map<String, String> enqueued)
            throws IOException {
        return switch (flaw) {
            case NONE -> gateway.ask(command, key, argument);
            case GRANTS_ALWAYS -> grantsAlways(gateway, command, key, argument);
            case QUEUES_LATE -> queuesLate(gateway, command, key, argument, enqueued);
            case FENCES_FALL -> turned(gateway.ask(command, key, turned(argument)));
            case FORGETS_RELEASES ->
                command.endsWith("r") && isSometimes()
                        ? forgets(gateway, command, key, argument)
                        : gateway.ask(command, key, argument);
            case TAKES_AWAY -> takesAway(gateway, key, gateway.ask(command, key, argument));
            case FAILS -> isSometimes() ? "error" : gateway.ask(command, key, argument);
        };
    }

    /** Every key is a semaphore with many slots. */
    private static String grantsAlways(LineClient gateway, String command, String key, String argument)
            throws IOException {
        String lease = " 1000 " + argument.substring(argument.lastIndexOf(' ') + 1);
        return switch (command) {
            case "l", "sl" -> gateway.ask("sl", key, argument.substring(0, argument.indexOf(' ')) + lease);
            case "e", "se" -> gateway.ask("se", key, lease.strip());
            default -> gateway.ask(command, key, argument);
        };
    }

    private static String queuesLate(
            LineClient gateway, String command, String key, String argument, Map<String, String> enqueued)
            throws IOException {
        if (command.endsWith("e")) {
            enqueued.put(key, argument);
            return "queued";
        }
        return command.endsWith("w")
                ? gateway.ask(command.replace('w', 'l'), key, argument + " " + enqueued.remove(key))
                : gateway.ask(command, key, argument);
    }

    /** Each fence in the text is replaced by the one at its distance from the other end. */
    private static String turned(String text) {
        return FENCE.matcher(text).replaceAll(fence -> "%016x".formatted(~Long.parseUnsignedLong(fence.group(), 16)));
    }

    /** The slot stays held for an hour. */
    private static String forgets(LineClient gateway, String command, String key, String token) throws IOException {
        String renewed = gateway.ask(command.replace('r', 'n'), key, token + " 3600");
        return renewed.startsWith("ok") ? "ok" : renewed;
    }

    private String takesAway(LineClient gateway, String key, String answer) throws IOException {
        if (Answer.of(answer) == Answer.GRANTED && isSometimes()) {
            gateway.release(HeldGrant.of(key, answer));
        }
        return answer;
    }

    @Override
    public void close() {
        server.close();
    }
}
