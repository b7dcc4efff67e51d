package io.flockgate.gateway;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientInfo;
import io.flockgate.gateway.session.ClientMemo;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.gateway.tcp.TcpServer;
import io.flockgate.storage.ClientDescription;
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

    /** A client whose memo cannot be read. Its grants last until their leases end. */
    private static final ClientMemo UNKNOWN = new ClientMemo("", ClientDescription.UNKNOWN, ClientInfo.NONE);

    private final SessionFactory sessions;
    private final TcpServer tcp;
    private final @Nullable HttpService http;
    private int httpSessions;

    /**
     * @param http null if HTTP is not served
     */
    private RestoredClients(SessionFactory sessions, TcpServer tcp, @Nullable HttpService http) {
        this.sessions = sessions;
        this.tcp = tcp;
        this.http = http;
    }

    static Future<Void> restore(
            Vertx vertx, LockStorage storage, SessionFactory sessions, TcpServer tcp, @Nullable HttpService http) {
        List<KeptClient> clients = storage.keptClients();
        if (clients.isEmpty()) {
            return Future.succeededFuture();
        }
        RestoredClients restored = new RestoredClients(sessions, tcp, http);
        Promise<Void> done = Promise.promise();
        vertx.getOrCreateContext().runOnContext(ignored -> {
            EventLoop loop = EventLoop.current(vertx);
            try {
                clients.forEach(each -> restored.restore(loop, each));
                LOG.atInfo()
                        .addKeyValue("clients", clients.size())
                        .addKeyValue("http_sessions", restored.httpSessions)
                        .log("grants of the previous process continue");
                done.complete();
            } catch (RuntimeException e) {
                done.fail(e);
            }
        });
        return done.future();
    }

    private void restore(EventLoop loop, KeptClient client) {
        ClientMemo read = ClientMemo.decode(client.memo());
        ClientMemo memo = read == null ? UNKNOWN : read;
        if (!memo.sessionHash().isEmpty() && http != null && http.restore(loop, client, memo)) {
            httpSessions++;
        } else {
            tcp.restored(sessions.restoreWithoutClient(loop, client, memo));
        }
    }
}
