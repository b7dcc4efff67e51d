package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.gateway.session.EventFeed;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The clients that watch the events of this gateway. Thread safe. */
public final class EventStreams {
    private static final Reply HEAD = new Reply(
            200,
            BodyType.EVENTS,
            List.of(new Reply.Header("Cache-Control", "no-store"), new Reply.Header("X-Accel-Buffering", "no")),
            new byte[0],
            false);

    private final EventFeed feed;
    private final Gate gate;
    private final @Nullable Authenticator authenticator;

    /** What ends each of the streams that have not ended. */
    private final Map<Responder, Runnable> open = new ConcurrentHashMap<>();

    /**
     * Makes the streams of a gateway; there are none yet.
     *
     * @param authenticator null where no token is configured. A change of the tokens ends all
     *     streams, so that the rights of a client that reconnects are checked again
     */
    public EventStreams(EventFeed feed, Gate gate, @Nullable Authenticator authenticator) {
        this.feed = feed;
        this.authenticator = authenticator;
        this.gate = gate;
    }

    /**
     * Answers with the events that the token may see, as they happen, until the client disconnects
     * or the gateway stops.
     */
    public void open(HttpRequest request, Responder responder) {
        EventQuery query = EventQuery.parse(request.query(), request.hidingKeys());
        if (responder.isDraining()) {
            responder.reply(RestReplies.SESSIONS_DRAINING);
        } else if (request.method().equals("HEAD")) {
            responder.begin(HEAD);
            responder.end();
        } else {
            switch (gate.enter(Resource.EVENT_STREAM, request.countedAs())) {
                case ADMITTED -> begin(request, responder, query);
                case FULL -> responder.reply(RestReplies.MAX_EVENT_STREAMS);
                case FULL_FOR_PEER -> responder.reply(RestReplies.MAX_EVENT_STREAMS_PER_IP);
            }
        }
    }

    private void begin(HttpRequest request, Responder responder, EventQuery query) {
        responder.begin(HEAD);
        NamedToken token = request.token();
        BooleanSupplier allowed = authenticator == null || token == null ? () -> true : authenticator.unchanged(token);
        EventStream stream =
                new EventStream(responder.loop(), feed, query, responder::writePart, () -> goesOn(responder, allowed));
        open.put(responder, () -> {
            feed.remove(stream);
            gate.leave(Resource.EVENT_STREAM, request.countedAs());
            stream.end();
            responder.end();
        });
        responder.whenClientGoes(() -> end(responder));
        feed.add(stream);
        stream.begin();
    }

    /** Ends the stream if the client's rights may have changed. Returns whether it goes on. */
    private boolean goesOn(Responder responder, BooleanSupplier allowed) {
        boolean unchanged = allowed.getAsBoolean();
        if (!unchanged) {
            end(responder);
        }
        return unchanged;
    }

    /** Ends the stream of an answer, unless it has ended. On its event loop. */
    private void end(Responder responder) {
        Runnable ending = open.remove(responder);
        if (ending != null) {
            ending.run();
        }
    }

    /** Ends all streams, at a shutdown. Connections that drain begin no further ones. */
    public void endAll() {
        open.keySet().forEach(each -> each.loop().post(() -> end(each)));
    }
}
