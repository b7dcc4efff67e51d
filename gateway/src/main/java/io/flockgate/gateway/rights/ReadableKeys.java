package io.flockgate.gateway.rights;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/**
 * The keys of a storage that a token may see. A page's {@link KeyPage#next()} may be a key that it
 * may not see, so use {@link #lastSeen} for what is sent to the client.
 */
public final class ReadableKeys implements Function<KeyQuery, Future<KeyPage>> {
    private final KeyAdministration storage;
    private final Rights rights;

    private ReadableKeys(KeyAdministration storage, Rights rights) {
        this.storage = storage;
        this.rights = rights;
    }

    /** Answers queries as the storage does, without the keys that these rights hide. */
    public static Function<KeyQuery, Future<KeyPage>> in(KeyAdministration storage, Rights rights) {
        return rights.mayReadEverything() ? storage::inspect : new ReadableKeys(storage, rights);
    }

    @Override
    public Future<KeyPage> apply(KeyQuery query) {
        byte[] prefix = rights.readable(query.prefix());
        if (prefix == null) {
            return Future.succeededFuture(new KeyPage(List.of(), null));
        }
        KeyQuery narrowed = new KeyQuery(prefix, query.after(), query.limit(), query.filter(), query.clients());
        return storage.inspect(narrowed).map(this::readable);
    }

    private KeyPage readable(KeyPage page) {
        List<KeySummary> keys =
                page.keys().stream().filter(key -> rights.mayRead(key.key())).toList();
        List<KeyDetail> details = page.details().stream()
                .filter(detail -> rights.mayRead(detail.summary().key()))
                .toList();
        return new KeyPage(keys, details, page.next());
    }

    /**
     * The same page, except that the next one continues after its last key, which the client has
     * seen.
     */
    public static KeyPage lastSeen(KeyPage page) {
        Key next = page.next();
        return next == null || page.keys().isEmpty()
                ? page
                : new KeyPage(page.keys(), page.details(), page.keys().getLast().key());
    }
}
