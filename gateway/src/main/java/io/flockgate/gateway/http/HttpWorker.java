package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.log.TroubleLog;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.storage.StorageException;
import io.vertx.core.net.NetSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the connections of one event loop share. On that event loop only. */
final class HttpWorker {
    private static final Logger LOG = LoggerFactory.getLogger(HttpWorker.class);

    private final EventLoop loop;
    private final HttpLimits limits;
    private final GatewayMetrics metrics;
    private final FrontDoor frontDoor;
    private final ReplyWriter writer = new ReplyWriter();
    private final MemoryBudget bodies = new MemoryBudget();
    private final MemoryBudget unread = new MemoryBudget();
    private final Set<HttpConnection> connections = new HashSet<>();
    private final TroubleLog warnings;
    private boolean draining;

    HttpWorker(EventLoop loop, HttpServer.Parts parts) {
        this.loop = loop;
        this.limits = parts.limits();
        this.metrics = parts.metrics();
        this.warnings = new TroubleLog(LOG, "storage failed", loop.now());
        HttpServer.FleetLockParts fleetLock = parts.fleetLock();
        Reports reports = new Reports(this, parts.storage(), parts.sessions(), parts.clients(), parts.stopping());
        Operations operations = new Operations(
                this,
                parts.sessions(),
                reports,
                new LockBodies(parts.config().locks().defaultLease().toSeconds()),
                new FleetLockOperations(this, fleetLock == null ? null : fleetLock.admin()),
                parts.config().http().sessionIdleTimeout().toSeconds());
        FleetLockDoor fleetLockDoor = fleetLock == null
                ? null
                : new FleetLockDoor(
                        this, parts.limiter(), parts.config().auth(), fleetLock.protocol(), fleetLock.pathPrefix());
        this.frontDoor = new FrontDoor(
                this, parts.cors(), parts.limiter(), parts.config().auth(), operations, fleetLockDoor);
    }

    EventLoop loop() {
        return loop;
    }

    HttpLimits limits() {
        return limits;
    }

    GatewayMetrics metrics() {
        return metrics;
    }

    FrontDoor frontDoor() {
        return frontDoor;
    }

    ReplyWriter writer() {
        return writer;
    }

    /** For large bodies. */
    MemoryBudget bodies() {
        return bodies;
    }

    /** For heads that have not come whole, and for what is sent ahead. */
    MemoryBudget unread() {
        return unread;
    }

    boolean isDraining() {
        return draining;
    }

    /** Readies a connection; the answer begins to serve it. {@code left} is run when it has ended. */
    Runnable accept(NetSocket socket, Runnable left) {
        HttpConnection connection = new HttpConnection(this, socket, left);
        connection.attach();
        return () -> serve(connection);
    }

    private void serve(HttpConnection connection) {
        connections.add(connection);
        connection.start();
        if (draining) {
            connection.drain();
        }
    }

    void closed(HttpConnection connection) {
        connections.remove(connection);
    }

    /** Each connection ends with the next answer, or now. */
    void drain() {
        draining = true;
        for (HttpConnection connection : List.copyOf(connections)) {
            connection.drain();
        }
    }

    /** Ends all connections without another word. */
    void closeAll() {
        for (HttpConnection connection : List.copyOf(connections)) {
            connection.close();
        }
    }

    /** The answer to a call of the storage's that has failed. */
    Reply failure(Throwable cause) {
        if (cause instanceof StorageException trouble) {
            troubled(trouble);
            return Reply.of(trouble);
        }
        LOG.atError().setCause(cause).log("request failed");
        return Reply.INTERNAL;
    }

    /** Answers a request without the token that is asked for, late. */
    void refuseToken(Exchange exchange, Reply reply) {
        LOG.atWarn().addKeyValue("peer", exchange.address()).log("auth failed");
        metrics.refused("unauthorized");
        exchange.replyLater(Authorization.FAILURE_DELAY_MILLIS, reply);
    }

    /** Says so in the log, once a second at most. */
    void troubled(StorageException trouble) {
        warnings.warn(trouble, loop.now());
    }
}
