package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One protocol: its requests as finished bytes, and its answers. */
interface Dialect {

    Replies replies();

    /**
     * Authenticates where a token is configured, and sends a request that shows that the server has accepted the connection.
     *
     * @return the session that requests of this connection name; empty where the connection is the session
     */
    String greet(Dialler dialler, SocketChannel channel) throws IOException;

    /** Ends the session that {@link #greet} gave, where there is one; the connection stays. */
    default void leave(Dialler dialler, SocketChannel channel, String session) throws IOException {}

    /** Gets the server ready, once, over a connection of its own that is closed afterwards. */
    default void prepare(Dialler dialler) throws IOException {}

    /** The writes of one round over these keys, in order; valid after {@link #prepare}. */
    List<Step> round(List<String> keys, String session);

    /** One write that takes these keys for a day. */
    Step hold(List<String> keys, String session);

    /** True where the client chooses the token and sends it with the acquire. */
    default boolean clientMakesTokens() {
        return false;
    }

    /**
     * A request of the set-up and the answers that will do.
     *
     * @param tolerated a second answer that will do, or null
     */
    record Exchange(String request, String answer, @Nullable String tolerated) {}
}
