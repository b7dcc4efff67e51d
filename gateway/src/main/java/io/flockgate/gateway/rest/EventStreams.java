package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.http.StreamReply;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.ConnectionCounter;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.gateway.net.RefusedClients;
import io.flockgate.gateway.rights.Principal;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.storage.Key;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/** The clients that watch the events of this gateway, and the caps on their number. Thread safe. */
public final class EventStreams {
    private static final Reply HEAD =
            new Reply(200, BodyType.EVENTS, List.of(new Reply.Header("Cache-Control", "no-store")), new byte[0], false);

    private final EventFeed feed;
    private final ConnectionCounter counter;
    private final Function<Principal, BooleanSupplier> rights;
    private final GatewayMetrics metrics;
    private final RefusedClients refused;

    /** The streams, each with the action that ends it on its event loop. */
    private final Map<EventStream, Runnable> open = new ConcurrentHashMap<>();

    private volatile boolean stopping;

    /**
     * Makes the streams of a gateway; there are none yet.
     *
     * @param max the maximum number of clients
     * @param maxPerAddress the maximum number of clients per address; 0 for no limit
     * @param metrics counts the clients that are refused
     * @param rights returns whether a client's rights are still those that it had. A change of the
     *     tokens ends all streams, so that the rights of a client that reconnects are checked again
     */
    public EventStreams(
            EventFeed feed,
            long max,
            long maxPerAddress,
            GatewayMetrics metrics,
            Function<Principal, BooleanSupplier> rights) {
        this.feed = feed;
        this.rights = rights;
        this.metrics = metrics;
        this.counter = new ConnectionCounter(max, maxPerAddress);
        this.refused = new RefusedClients(
                LoggerFactory.getLogger(EventStreams.class), "event streams", "--http-max-event-streams", counter);
    }

    /**
     * Answers with events until the client disconnects or the gateway stops. On this event loop.
     *
     * @param readable whether the client may see a key
     * @param everything whether it may see every key
     */
    void open(EventLoop loop, HttpRequest request, Responder responder, Predicate<Key> readable, boolean everything) {
        EventQuery query = EventQuery.parse(request.query(), readable, everything);
        if (stopping || responder.isDraining()) {
            responder.reply(RestReplies.SESSIONS_DRAINING);
        } else if (request.method().equals("HEAD")) {
            responder.stream(HEAD).end();
        } else {
            Entry entry = counter.enter(request.address());
            switch (entry) {
                case ADMITTED -> begin(loop, request, responder, query);
                case TOO_MANY ->
                    refuse(loop, request, responder, entry, "max_event_streams", RestReplies.MAX_EVENT_STREAMS);
                case TOO_MANY_FROM_ADDRESS ->
                    refuse(
                            loop,
                            request,
                            responder,
                            entry,
                            "max_event_streams_per_ip",
                            RestReplies.MAX_EVENT_STREAMS_PER_IP);
            }
        }
    }

    private void refuse(
            EventLoop loop, HttpRequest request, Responder responder, Entry cap, String reason, Reply reply) {
        metrics.refused(reason);
        refused.refused(cap, request.address(), loop.now());
        responder.reply(reply);
    }

    /** The number of clients that currently watch. */
    public long count() {
        return counter.total();
    }

    private void begin(EventLoop loop, HttpRequest request, Responder responder, EventQuery query) {
        StreamReply reply = responder.stream(HEAD);
        EventStream stream =
                new EventStream(loop, query, feed::deliver, reply::write, rights.apply(request.principal()));
        String address = request.address();
        Runnable ending = () -> {
            end(stream, address);
            reply.end();
        };
        open.put(stream, () -> loop.post(ending));
        stream.whenOutdated(ending);
        responder.whenClientGoes(() -> end(stream, address));
        stream.begin(before(query, stream));
        if (stopping) {
            endAll();
        }
    }

    /** Adds the stream to the feed, and returns the kept events if the client requests them. */
    private List<ClientEvent> before(EventQuery query, EventStream stream) {
        if (query.last() > 0) {
            return feed.addAfter(stream);
        }
        feed.add(stream);
        return List.of();
    }

    private void end(EventStream stream, String address) {
        if (open.remove(stream) != null) {
            feed.remove(stream);
            counter.leave(address);
            stream.end();
        }
    }

    /** Ends all streams, and begins no further ones. */
    public void endAll() {
        stopping = true;
        // The streams write what has happened so far before they end.
        feed.deliver();
        open.values().forEach(Runnable::run);
    }
}
