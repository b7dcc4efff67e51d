package io.flockgate.bench.load;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One protocol: its requests as finished bytes, and its answers. */
sealed interface Dialect permits LineDialect, RespDialect {

    Replies replies();

    /** The first request on a connection when a token is configured, and its only right answer. */
    Exchange auth(String token);

    /** A request that shows that the server has taken the connection up. */
    Exchange hello();

    /** Gets the server ready, once, over a connection of its own that is closed afterwards. */
    void prepare(Dialler dialler) throws IOException;

    /** The writes of one round over these keys, in order; valid after {@link #prepare}. */
    List<Step> round(List<String> keys);

    /** One write that takes these keys for a day. */
    Step hold(List<String> keys);

    /** True where the client chooses the token and sends it with the acquire. */
    boolean clientMints();

    static Dialect of(Settings settings) {
        return switch (settings.protocol()) {
            case LINE -> new LineDialect(settings);
            case RESP -> new RespDialect(settings);
        };
    }

    /**
     * A request of the set-up and the answers that will do.
     *
     * @param tolerated a second answer that will do, or null
     */
    record Exchange(String request, String answer, @Nullable String tolerated) {}
}
