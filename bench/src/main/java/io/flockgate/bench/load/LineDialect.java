package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/** dflockd's line protocol: three lines a request. */
final class LineDialect implements Dialect {
    private final LineReplies replies = new LineReplies();

    @Override
    public Replies replies() {
        return replies;
    }

    @Override
    public String greet(Dialler dialler, SocketChannel channel) throws IOException {
        String answer = dialler.ask(channel, "ping\n_\n_\n");
        // dflockd 1.x does not know ping and answers with an error, which shows the same.
        if (!answer.equals("ok\n") && !answer.equals("error\n")) {
            throw new BenchException("ping was answered '" + answer.strip() + "'");
        }
        return "";
    }

    @Override
    public Step acquire(List<String> keys, String session, int leaseSeconds) {
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add("l\n" + key + "\n" + Settings.TIMEOUT_SECONDS + " " + leaseSeconds + "\n");
        }
        return step.build(Expected.GRANT);
    }

    @Override
    public Step release(List<String> keys, String session) {
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add("r\n" + key + "\n").token().add("\n");
        }
        return step.build(Expected.RELEASED);
    }
}
