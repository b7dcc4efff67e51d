package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * Redis as a lock server. An unshared key is taken with SET NX PX and a token of the client. A script releases it only while
 * it still has that token. Such a lock has no queue in Redis, so a shared key is a list of tokens: BLPOP waits in order of
 * arrival, RPUSH hands over.
 */
final class RespDialect implements Dialect {
    private static final String RELEASE_SCRIPT =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
    private static final int DAY_SECONDS = 86_400;
    private static final int SHA = 40;

    private final Settings settings;
    private final RespReplies replies;
    private String sha = "";

    RespDialect(Settings settings) {
        this.settings = settings;
        this.replies = new RespReplies(settings.shared());
    }

    @Override
    public Replies replies() {
        return replies;
    }

    @Override
    public String greet(Dialler dialler, SocketChannel channel) throws IOException {
        String token = settings.authToken();
        if (token != null) {
            dialler.exchange(channel, "auth", new Exchange(command("AUTH", token), "+OK\r\n", null));
        }
        dialler.exchange(channel, "ping", new Exchange(command("PING"), "+PONG\r\n", null));
        return "";
    }

    @Override
    public void prepare(Dialler dialler) throws IOException {
        try (Connection connection = dialler.open()) {
            if (settings.shared()) {
                fillTokenList(dialler, connection.channel());
            } else {
                loadScript(dialler, connection.channel());
            }
        }
    }

    private void fillTokenList(Dialler dialler, SocketChannel channel) throws IOException {
        String deleted = dialler.ask(channel, command("DEL", settings.key()));
        expect(deleted.startsWith(":"), "DEL", deleted);
        for (int i = 1; i <= settings.limit(); i++) {
            String pushed = dialler.ask(channel, command("RPUSH", settings.key(), String.format("%032x", i)));
            expect(pushed.equals(":" + i + "\r\n"), "RPUSH", pushed);
        }
    }

    private void loadScript(Dialler dialler, SocketChannel channel) throws IOException {
        String loaded = dialler.ask(channel, command("SCRIPT", "LOAD", RELEASE_SCRIPT));
        expect(loaded.startsWith("$" + SHA + "\r\n"), "SCRIPT LOAD", loaded);
        sha = loaded.substring(5, 5 + SHA);
    }

    private static void expect(boolean right, String request, String answer) {
        if (!right) {
            throw new LoadException(request + " was answered '" + answer.strip() + "'");
        }
    }

    @Override
    public boolean clientMakesTokens() {
        return !settings.shared();
    }

    @Override
    public List<Step> round(List<String> keys, String session) {
        Step.Builder acquires = new Step.Builder();
        Step.Builder releases = new Step.Builder();
        for (String key : keys) {
            if (settings.shared()) {
                acquires.add(command("BLPOP", key, String.valueOf(settings.timeoutSeconds())));
                releases.add(head(3)).add(bulk("RPUSH")).add(bulk(key));
                token(releases);
            } else {
                set(acquires, key, settings.leaseSeconds());
                releases.add(head(5))
                        .add(bulk("EVALSHA"))
                        .add(bulk(sha))
                        .add(bulk("1"))
                        .add(bulk(key));
                token(releases);
            }
        }
        return List.of(acquires.build(Expected.GRANT), releases.build(Expected.RELEASED));
    }

    @Override
    public Step hold(List<String> keys, String session) {
        Step.Builder acquires = new Step.Builder();
        keys.forEach(key -> set(acquires, key, DAY_SECONDS));
        return acquires.build(Expected.GRANT);
    }

    private static void set(Step.Builder step, String key, int leaseSeconds) {
        step.add(head(6)).add(bulk("SET")).add(bulk(key));
        token(step);
        step.add(bulk("NX")).add(bulk("PX")).add(bulk(String.valueOf(leaseSeconds * 1000L)));
    }

    private static void token(Step.Builder step) {
        step.add("$" + Step.TOKEN + "\r\n").token().add("\r\n");
    }

    private static String command(String... words) {
        StringBuilder text = new StringBuilder(head(words.length));
        for (String word : words) {
            text.append(bulk(word));
        }
        return text.toString();
    }

    private static String head(int words) {
        return "*" + words + "\r\n";
    }

    private static String bulk(String word) {
        return "$" + word.length() + "\r\n" + word + "\r\n";
    }
}
