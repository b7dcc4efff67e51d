package io.flockgate.gateway;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientIdentity;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.gateway.tcp.TcpServer;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.KeptClient;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the clients whose grants the storage has kept from the previous process: HTTP sessions
 * as such, others as clients whose connection has ended. Must finish before the gateway listens.
 */
final class RestoredClients {
    private static final Logger LOG = LoggerFactory.getLogger(RestoredClients.class);

    private RestoredClients() {}

    /**
     * @param http null if HTTP is not served
     */
    static Future<Void> restore(
            Vertx vertx, LockStorage storage, SessionFactory sessions, TcpServer tcp, @Nullable HttpService http) {
        List<KeptClient> clients = storage.keptClients();
        if (clients.isEmpty()) {
            return Future.succeededFuture();
        }
        Promise<Void> done = Promise.promise();
        vertx.getOrCreateContext().runOnContext(ignored -> {
            try {
                restore(clients, EventLoop.current(vertx), sessions, tcp, http);
                done.complete();
            } catch (RuntimeException e) {
                done.fail(e);
            }
        });
        return done.future();
    }

    private static void restore(
            List<KeptClient> clients,
            EventLoop loop,
            SessionFactory sessions,
            TcpServer tcp,
            @Nullable HttpService http) {
        int httpSessions = 0;
        for (KeptClient kept : clients) {
            ClientIdentity client = sessions.identify(kept);
            if (!client.sessionHash().isEmpty() && http != null && http.restore(loop, kept, client)) {
                httpSessions++;
            } else {
                tcp.restored(sessions.restoreWithoutClient(loop, kept, client));
            }
        }
        LOG.atInfo()
                .addKeyValue("clients", clients.size())
                .addKeyValue("http_sessions", httpSessions)
                .log("grants of the previous process continue");
    }
}
