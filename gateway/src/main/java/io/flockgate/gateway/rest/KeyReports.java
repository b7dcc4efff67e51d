package io.flockgate.gateway.rest;

import io.flockgate.gateway.deadlock.Deadlocks;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.StorageFailures;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.vertx.core.Future;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntSupplier;

/** Reports on the keys that the sender may see, their holders and waiters. Thread safe. */
public final class KeyReports {
    private final Answers answers;
    private final KeyAdministration storage;
    private final Executor scans;
    private final IntSupplier clients;

    /**
     * @param scans runs the passes over all keys
     * @param clients returns the number of clients of all protocols
     */
    public KeyReports(Answers answers, KeyAdministration storage, Executor scans, IntSupplier clients) {
        this.answers = answers;
        this.storage = storage;
        this.scans = scans;
        this.clients = clients;
    }

    public void stats(HttpRequest request, Responder responder) {
        answers.report(request, responder, () -> responder.reply(stats(request)));
    }

    private StatsJson stats(HttpRequest request) {
        return new StatsJson(keys(request), clients.getAsInt());
    }

    /** The keys that the sender may see. A storage that throws instead of failing has failed. */
    private Function<KeyQuery, Future<KeyPage>> keys(HttpRequest request) {
        Function<KeyQuery, Future<KeyPage>> all = query -> StorageFailures.call(() -> storage.inspect(query));
        Rights rights = request.hidingKeys();
        return rights == null ? all : query -> rights.inspect(all, query);
    }

    public void listKeys(HttpRequest request, Responder responder) {
        KeysQuery query = KeysQuery.parse(request.query());
        answers.report(request, responder, () -> found(request, responder, query), KeysJson::list);
    }

    private Future<KeyScan.Listing> found(HttpRequest request, Responder responder, KeysQuery query) {
        AtomicBoolean abandoned = new AtomicBoolean();
        responder.whenClientGoes(() -> abandoned.set(true));
        return new KeyScan(keys(request), request.hidingKeys() != null, query, scans, abandoned::get).run();
    }

    public void deadlocks(HttpRequest request, Responder responder) {
        answers.report(request, responder, () -> deadlocks(request), reply -> reply);
    }

    /** Makes the reply where the search has ended, because it may have some thousand clients. */
    private Future<Reply> deadlocks(HttpRequest request) {
        return Deadlocks.find(keys(request), scans)
                .map(found -> found.map(KeysJson::deadlocks).orElse(RestReplies.TOO_MANY_CLAIMS));
    }

    public void key(HttpRequest request, Responder responder) {
        Key key = LockBody.key(request.segment("key"));
        KeyDetailQuery query = PageQuery.ofKey(Query.parse(request.query()), key);
        answers.report(
                request,
                responder,
                () -> StorageFailures.call(() -> storage.inspect(query)),
                detail -> detail.map(KeysJson::key).orElse(RestReplies.UNKNOWN_KEY));
    }
}
