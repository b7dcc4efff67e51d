package io.flockgate.gateway.net;

import io.flockgate.gateway.eventloop.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The servers of one port, one for each event loop; Vert.x spreads the connections over them.
 * Thread safe.
 */
public final class ServerGroup {
    /**
     * The port number for which Vert.x chooses a free port, which the servers of all event loops
     * share.
     */
    public static final int FREE_PORT = -1;

    private static final String ANY_ADDRESS = "::";
    private static final Duration FOREVER = Duration.ofDays(10_000);

    /**
     * Vert.x ends the remaining connections this much later than the timeout, so that the log names
     * the reason first.
     */
    private static final Duration MARGIN = Duration.ofMillis(100);

    private final Vertx vertx;
    private final List<Server> servers = new CopyOnWriteArrayList<>();

    /**
     * One of the servers, on one event loop.
     *
     * @param listen begins to listen on a port and a host; the future gives the bound port
     * @param shutdown stops listening; connections may continue for this long. The future completes
     *     when the last one has ended
     */
    public record Server(
            BiFunction<Integer, String, Future<Integer>> listen, Function<Duration, Future<Void>> shutdown) {}

    public ServerGroup(Vertx vertx) {
        this.vertx = vertx;
    }

    /**
     * Begins to listen on this many event loops; the future gives the bound port.
     *
     * @param host empty for all addresses
     * @param port 0 for a free one; a negative number for a free one that all servers of this
     *     number share
     * @param makeServer makes the server of an event loop, on that event loop
     */
    public Future<Integer> listen(String host, int port, int eventLoops, Function<EventLoop, Server> makeServer) {
        String address = host.isEmpty() ? ANY_ADDRESS : host;
        int wanted = port == 0 ? FREE_PORT : port;
        Future<Integer> bound = listenOnAnotherLoop(wanted, address, makeServer);
        for (int i = 1; i < eventLoops; i++) {
            bound = bound.compose(ignored -> listenOnAnotherLoop(wanted, address, makeServer));
        }
        return bound;
    }

    private Future<Integer> listenOnAnotherLoop(int port, String host, Function<EventLoop, Server> makeServer) {
        AtomicInteger bound = new AtomicInteger();
        return vertx.deployVerticle(new VerticleBase() {
                    @Override
                    public Future<?> start() {
                        Server server = makeServer.apply(EventLoop.current(vertx));
                        servers.add(server);
                        return server.listen().apply(port, host).onSuccess(bound::set);
                    }
                })
                .map(ignored -> bound.get());
    }

    /**
     * Accepts no further connections; the future completes when the last one has ended. At the
     * timeout {@code force} runs, and the remaining connections are ended. A timeout of zero waits
     * indefinitely.
     */
    public Future<Void> shutdown(Duration timeout, Runnable force) {
        boolean endless = timeout.isZero() || timeout.compareTo(FOREVER) > 0;
        Duration longest = endless ? FOREVER : timeout;
        Promise<Void> over = Promise.promise();
        List<Future<Void>> ending = new ArrayList<>();
        for (Server server : servers) {
            ending.add(server.shutdown().apply(longest.plus(MARGIN)));
        }
        long timer = vertx.setTimer(longest.toMillis(), ignored -> force.run());
        // Vert.x waits forever for a connection that was closed before and whose client reads
        // nothing.
        long last = vertx.setTimer(longest.plus(MARGIN.multipliedBy(2)).toMillis(), ignored -> over.tryComplete());
        Future.join(ending).onComplete(ignored -> {
            vertx.cancelTimer(timer);
            vertx.cancelTimer(last);
            over.tryComplete();
        });
        return over.future();
    }
}
