package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Consumer;

/** dflockd's line protocol: three lines a request. */
final class LineDialect implements Dialect {
    private static final int DAY_SECONDS = 86_400;

    private final Settings settings;
    private final LineReplies replies = new LineReplies();

    LineDialect(Settings settings) {
        this.settings = settings;
    }

    @Override
    public Replies replies() {
        return replies;
    }

    @Override
    public String greet(Dialler dialler, SocketChannel channel) throws IOException {
        String token = settings.authToken();
        if (token != null) {
            dialler.exchange(channel, "auth", new Exchange("auth\n_\n" + token + "\n", "ok\n", null));
        }
        // dflockd 1.x knows no ping and says so, which shows as much.
        dialler.exchange(channel, "ping", new Exchange("ping\n_\n_\n", "ok\n", "error\n"));
        return "";
    }

    @Override
    public List<Step> round(List<String> keys, String session) {
        int timeout = settings.timeoutSeconds();
        int lease = settings.leaseSeconds();
        return switch (settings.mode()) {
            case CYCLE, PIPELINE, HOT, KEYS, IDLE ->
                List.of(requests(keys, Expected.GRANT, "l", timeout + " " + lease), releases(keys, "r"));
            case SEM ->
                List.of(
                        requests(keys, Expected.GRANT, "sl", timeout + " " + settings.limit() + " " + lease),
                        releases(keys, "sr"));
            case TWOPHASE ->
                List.of(
                        requests(keys, Expected.ENQUEUED, "e", String.valueOf(lease)),
                        requests(keys, Expected.GRANT, "w", String.valueOf(timeout)),
                        releases(keys, "r"));
        };
    }

    @Override
    public Step hold(List<String> keys, String session) {
        return requests(keys, Expected.GRANT, "l", settings.timeoutSeconds() + " " + DAY_SECONDS);
    }

    private static Step requests(List<String> keys, Expected expected, String command, String argument) {
        return step(keys, expected, command, step -> step.add(argument));
    }

    private static Step releases(List<String> keys, String command) {
        return step(keys, Expected.RELEASED, command, step -> step.token());
    }

    private static Step step(List<String> keys, Expected expected, String command, Consumer<Step.Builder> argument) {
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add(command).add("\n").add(key).add("\n");
            argument.accept(step);
            step.add("\n");
        }
        return step.build(expected);
    }
}
