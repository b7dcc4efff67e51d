package io.flockgate.gateway;

import java.util.Map;

/** Sets what Netty and Vert.x take from system properties only, and read when they are first used. */
final class NettySettings {
    private static final Map<String, String> OURS = Map.of(
            // Each new connection is a task, and Netty reads again after a second of tasks: ten thousand connections
            // at once would keep those already there waiting. This is the least it takes.
            "io.netty.eventLoop.maxTaskProcessingQuantumMs",
            "100",
            // Timers by a timerfd, which is touched when the next of them changes: else every wait for input arms
            // one of the kernel's and takes it back. VertxEventLoop sees to it that there is a next one always.
            "io.netty.channel.epoll.epollWaitThreshold",
            "0",
            // Nothing here speaks over WebSockets. Vert.x then looks for none, and leaves other versions of HTTP to us.
            "vertx.disableWebsockets",
            "true");

    private NettySettings() {}

    /** Sets those that nobody has set. */
    static void apply() {
        OURS.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
    }
}
