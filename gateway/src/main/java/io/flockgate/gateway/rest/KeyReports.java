package io.flockgate.gateway.rest;

import io.flockgate.gateway.deadlock.Deadlocks;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Rights.ReadableKeys;
import io.flockgate.gateway.session.StorageFailures;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetailQuery;
import io.vertx.core.Future;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Reports on the keys that the sender may see, their holders and waiters. On one event loop. */
public final class KeyReports {
    private final Answers answers;
    private final KeyAdministration storage;
    private final Executor scans;
    private final Deadlocks deadlocks;
    private final IntSupplier clients;

    /**
     * @param scans runs the passes over all keys
     * @param clients returns the number of clients of all protocols
     */
    public KeyReports(
            Answers answers, KeyAdministration storage, Executor scans, Deadlocks deadlocks, IntSupplier clients) {
        this.answers = answers;
        this.storage = storage;
        this.scans = scans;
        this.deadlocks = deadlocks;
        this.clients = clients;
    }

    public void stats(HttpRequest request, Responder responder) {
        answers.report(request, responder, () -> responder.reply(stats(request)));
    }

    private StatsJson stats(HttpRequest request) {
        Rights rights = request.hidingKeys();
        return new StatsJson(rights == null ? storage::inspect : ReadableKeys.of(storage, rights), clients.getAsInt());
    }

    public void listKeys(HttpRequest request, Responder responder) {
        KeysQuery query = KeysQuery.parse(request.query());
        answers.report(
                request,
                responder,
                () -> answers.answer(
                        responder, found(request, responder, query), found -> Reply.json(200, KeysJson.list(found))));
    }

    private Future<KeyScan.Listing> found(HttpRequest request, Responder responder, KeysQuery query) {
        Rights rights = request.hidingKeys();
        if (query.isPlain() && rights == null) {
            return StorageFailures.call(() -> storage.inspect(query.query()))
                    .map(page -> new KeyScan.Listing(page, -1));
        }
        AtomicBoolean abandoned = new AtomicBoolean();
        responder.whenClientGoes(() -> abandoned.set(true));
        return new KeyScan(storage, rights, query, scans, abandoned::get).run();
    }

    public void deadlocks(HttpRequest request, Responder responder) {
        answers.report(
                request,
                responder,
                () -> answers.whenDone(
                        responder,
                        deadlocks.find(),
                        found -> found.ifPresentOrElse(
                                all -> responder.reply(DeadlocksJson.of(readable(all, request.hidingKeys()))),
                                () -> responder.reply(RestReplies.TOO_MANY_CLAIMS))));
    }

    private static Found readable(Found found, @Nullable Rights rights) {
        return rights == null ? found : found.among(rights::mayRead);
    }

    public void key(HttpRequest request, Responder responder) {
        Key key = LockBody.key(request.segment("key"));
        KeyDetailQuery query =
                PageQuery.of(Query.parse(request.query())).forKey(key).withWaits();
        answers.report(
                request,
                responder,
                () -> answers.whenDone(
                        responder,
                        StorageFailures.call(() -> storage.inspect(query)),
                        detail -> detail.ifPresentOrElse(
                                found -> responder.reply(KeyJson.of(found)),
                                () -> responder.reply(RestReplies.UNKNOWN_KEY))));
    }
}
