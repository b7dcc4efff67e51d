package io.flockgate.gateway;

import io.flockgate.gateway.net.HandshakeTurns;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The settings of Vert.x, and the system properties that Netty, Vert.x and Java's TLS read when
 * they are first used. The values of these cannot be set in any other way.
 */
final class NettySettings {
    private static final Map<String, String> OURS = Map.of(
            // Each new connection is a task, and Netty reads again after a second of tasks. Ten
            // thousand connections at once would keep the older ones waiting. This is the smallest
            // value that Netty accepts.
            "io.netty.eventLoop.maxTaskProcessingQuantumMs",
            "100",
            // Timers use a timerfd, which changes only with the next timer. Otherwise every wait
            // for input would set and clear a timer of the kernel. VertxEventLoop ensures that
            // there is always a next timer.
            "io.netty.channel.epoll.epollWaitThreshold",
            "0",
            // A client of TLS 1.2 could make the server compute handshakes repeatedly.
            "jdk.tls.rejectClientInitiatedRenegotiation",
            "true",
            // Sessions kept for clients without tickets, each with the server name that its client
            // has sent.
            "javax.net.ssl.sessionCacheSize",
            "1000",
            // Nothing here uses WebSockets. Vert.x then does not look for them, and leaves other
            // versions of HTTP to us.
            "vertx.disableWebsockets",
            "true");

    private static final int BLOCKED_SECONDS = 10;

    private NettySettings() {}

    /** Sets the properties that are not set yet. */
    static void apply() {
        OURS.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
    }

    /**
     * Vert.x's options.
     *
     * @param eventLoops the number of event loops
     */
    static VertxOptions options(int eventLoops) {
        return new VertxOptions()
                .setEventLoopPoolSize(eventLoops)
                .setWorkerPoolSize(Math.max(2, Runtime.getRuntime().availableProcessors() / 2))
                .setInternalBlockingPoolSize(HandshakeTurns.THREADS)
                // Otherwise Vert.x creates a directory for files from the class path, although none
                // are requested.
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false))
                // Logs the stack of a blocked loop, which the watchdog ends later.
                .setBlockedThreadCheckInterval(BLOCKED_SECONDS)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
                .setMaxEventLoopExecuteTime(BLOCKED_SECONDS)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.SECONDS);
    }
}
