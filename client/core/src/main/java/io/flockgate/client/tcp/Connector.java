package io.flockgate.client.tcp;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Subscription;
import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Seconds;
import io.flockgate.client.support.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one of several gateways of a cluster, and keeps track of them until they
 * end.
 *
 * <ol>
 *   <li>It looks up the server that worked last, and tries each address of its name, the one that
 *       worked last first; then the other servers in turn. Each step (connect, TLS, reply) has at
 *       most half a second, because a server that hangs accepts connections without answering.
 *       Then it tries each address once more, for an equal share of the remaining time.
 *   <li>On a connection it authenticates if there is a token, and sends {@code hello}. A server
 *       that answers {@code error} to that is an old one.
 *   <li>If no address works, the next round waits: 50 ms, then twice as long each time up to 800
 *       ms. Each pause is varied at random by up to half.
 *   <li>A connection whose server has not answered in time is retired: it carries no further
 *       request, and stays open for another minute, or until the server has answered or ended it,
 *       because a late answer may be a grant that must be released.
 * </ol>
 */
final class Connector {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofMillis(800));

    /** Enough for a healthy server, even a remote one. */
    private static final Duration QUICK = Duration.ofMillis(500);

    /**
     * Extra time before the whole opening fails, so that the more specific failure of a single
     * address comes first.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration RETIRED = Duration.ofMinutes(1);

    private final List<ServerAddress> servers;
    private final ConnectOptions options;
    private final LeaseEnvironment environment;
    private final Executor executor;
    private final Grants grants;
    private final Set<LineConnection> lines = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    private final AtomicInteger current = new AtomicInteger();

    /** The address that worked last, and the one that did not answer last. */
    private volatile @Nullable InetAddress worked;

    private volatile @Nullable InetAddress avoided;
    private final AtomicInteger failedRounds = new AtomicInteger();
    private volatile long notBefore;

    /**
     * @param servers gateways of one cluster
     * @param grants is notified of the server's incarnation with each connection, and of grants
     *     that the server takes away
     */
    Connector(List<ServerAddress> servers, ConnectOptions options, Grants grants) {
        Executor given = options.ioExecutor();
        this.executor = given == null ? Threads.perTask("flockgate-client-io") : given;
        this.grants = grants;
        this.servers = servers;
        this.options = options;
        this.environment = options.environment();
        this.notBefore = nanos();
    }

    private long nanos() {
        return environment.timers().nanos();
    }

    /** The addresses of the servers, for messages. */
    String addresses() {
        return servers.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    int numberOfServers() {
        return servers.size();
    }

    /**
     * Opens a connection within this time; fails with {@link LeaseUnavailableException}, {@link
     * LeaseAuthException}, or {@link LeaseClosedException}. The pause before a new round is not
     * part of this time.
     */
    CompletionStage<LineConnection> open(Duration timeout) {
        if (closed) {
            return CompletableFuture.failedStage(new LeaseClosedException("the client is closed"));
        }
        CompletableFuture<LineConnection> opened = new CompletableFuture<>();
        long wait = Math.max(0, notBefore - nanos());
        endLate(opened, timeout.plusNanos(wait));
        Runnable begin = () -> execute(opened, () -> openInto(opened, timeout));
        if (wait == 0) {
            begin.run();
        } else {
            var unused = environment.timers().after(Duration.ofNanos(wait), begin);
        }
        return opened;
    }

    /**
     * Fails the opening after this time. The look-up of a host name has no timeout of its own, and
     * may block its thread for longer.
     */
    private void endLate(CompletableFuture<LineConnection> opened, Duration timeout) {
        Subscription late = environment
                .timers()
                .after(
                        timeout.plus(GRACE),
                        () -> opened.completeExceptionally(new LeaseUnavailableException(
                                "no connection " + Seconds.within(timeout) + " to any of " + addresses(),
                                false,
                                null)));
        var unused = opened.whenComplete((connection, failure) -> late.close());
    }

    /**
     * Directs the next connection to a server other than this one, or to another of its addresses.
     */
    void avoid(ServerAddress server) {
        int index = indexOf(server);
        boolean unused = current.compareAndSet(index, (index + 1) % servers.size());
        avoided = server.at();
    }

    /** Sends nothing more on a connection, but still reads late replies. */
    void retire(LineConnection connection) {
        connection.finish();
        // On the thread of the timers, because callers may hold locks.
        Subscription end = environment.timers().after(RETIRED, () -> connection.close("no answer in time"));
        connection.closed().whenComplete((nothing, failure) -> end.close());
    }

    /** Ends all connections, and opens no further one. */
    void close() {
        closed = true;
        lines.forEach(connection -> connection.close("the client is closed"));
    }

    /** Whether the next connection goes to this server first. */
    boolean isCurrent(ServerAddress server) {
        return servers.get(current.get()).isSameServer(server);
    }

    private void openInto(CompletableFuture<LineConnection> opened, Duration timeout) {
        try {
            LineConnection connection = openAny(timeout);
            lines.add(connection);
            connection.closed().whenComplete((nothing, failure) -> lines.remove(connection));
            if (!opened.complete(connection) || closed) {
                connection.close(closed ? "the client is closed" : "opened too late");
            }
        } catch (RuntimeException | Error failed) {
            opened.completeExceptionally(failed);
        }
    }

    /** Runs the task, or fails the opening if there is no thread for it. */
    private void execute(CompletableFuture<LineConnection> opened, Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error noThread) {
            opened.completeExceptionally(
                    new LeaseUnavailableException("no thread for a connection to " + addresses(), false, noThread));
        }
    }

    private LineConnection openAny(Duration timeout) {
        List<ServerAddress> found = new ArrayList<>();
        Map<String, String> failures = new LinkedHashMap<>();
        LineConnection connection = null;
        Duration spent = Duration.ZERO;
        int first = current.get();
        for (int i = 0; i < servers.size() && connection == null; i++) {
            List<ServerAddress> here = lookUp(servers.get((first + i) % servers.size()), failures);
            found.addAll(here);
            long places = (long) servers.size() * here.size();
            if (places > 1 && timeout.dividedBy(places).compareTo(QUICK) > 0) {
                connection = openAny(here, QUICK, failures);
                spent = QUICK;
            }
        }
        if (connection == null && !found.isEmpty()) {
            connection = openAny(found, timeout.dividedBy(found.size()).minus(spent), failures);
        }
        if (connection == null) {
            pauseNextRound();
            throw new LeaseUnavailableException(
                    "no server can be reached: " + String.join("; ", failures.values()), false, null);
        }
        failedRounds.set(0);
        return connection;
    }

    /**
     * The addresses of a server in the order in which they are to be tried; none if it has none.
     */
    private List<ServerAddress> lookUp(ServerAddress server, Map<String, String> failures) {
        try {
            List<ServerAddress> found = new ArrayList<>(server.lookUp());
            found.sort(Comparator.comparingInt(
                    each -> Objects.equals(each.at(), avoided) ? 2 : Objects.equals(each.at(), worked) ? 0 : 1));
            return found;
        } catch (UnknownHostException unknown) {
            failures.put(server.toString(), withAddress(server, Reasons.of(unknown)));
            return List.of();
        }
    }

    private @Nullable LineConnection openAny(
            List<ServerAddress> addresses, Duration each, Map<String, String> failures) {
        for (ServerAddress address : addresses) {
            try {
                LineConnection connection = open(address, each);
                current.set(indexOf(address));
                worked = address.at();
                return connection;
            } catch (IOException | LeaseUnavailableException failed) {
                failures.put(address.toString(), withAddress(address, Reasons.of(failed)));
            }
        }
        return null;
    }

    private int indexOf(ServerAddress server) {
        int index = 0;
        while (!servers.get(index).isSameServer(server)) {
            index++;
        }
        return index;
    }

    private static String withAddress(ServerAddress server, String reason) {
        return reason.contains(server.toString()) ? reason : server + ": " + reason;
    }

    private void pauseNextRound() {
        Duration pause = BACKOFF.after(failedRounds.incrementAndGet(), environment.random());
        notBefore = nanos() + pause.toNanos();
    }

    private LineConnection open(ServerAddress server, Duration timeout) throws IOException {
        Socket socket = server.connect(options.sslContext(), timeout);
        LineConnection line = new LineConnection(socket, server, executor, grants);
        try {
            line.start();
            long asked = nanos();
            line.introduced(introduce(line, server, timeout));
            grants.seen(line.incarnation(), asked, nanos());
            return line;
        } catch (IOException | RuntimeException | Error failed) {
            line.close("the server did not answer as expected");
            throw failed;
        }
    }

    /**
     * Authenticates and sends {@code hello} in one write; returns the options that the server
     * accepts.
     */
    private List<String> introduce(LineConnection line, ServerAddress server, Duration timeout) throws IOException {
        String token = options.authToken();
        CompletionStage<String> authReply =
                token == null ? CompletableFuture.completedStage("ok") : line.send(Protocol.auth(token));
        CompletionStage<String> helloReply = line.send(Protocol.hello(options.clientName(), grants.id()));
        // A server that needs no token answers error to auth, and serves every client.
        refuseUnlessServed(reply(authReply, timeout), server);
        String hello = reply(helloReply, timeout);
        refuseUnlessServed(hello, server);
        List<String> words = List.of(hello.split(" ", -1));
        if (!words.get(0).equals("ok") && !hello.startsWith("error")) {
            throw new IOException("it does not speak the line protocol at this port");
        }
        return words;
    }

    private static void refuseUnlessServed(String reply, ServerAddress server) {
        if (reply.equals("error_auth") || Protocol.isDraining(reply)) {
            throw Protocol.failure(reply, "hello", server);
        }
    }

    private static String reply(CompletionStage<String> stage, Duration timeout) throws IOException {
        try {
            return stage.toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new IOException("no answer " + Seconds.within(timeout), late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof LeaseException known) {
                throw known;
            }
            throw new IOException(Reasons.of(failed), failed.getCause());
        }
    }
}
