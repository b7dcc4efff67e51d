package io.flockgate.gateway.rights;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/**
 * Answers queries as a storage does, without the keys that a token must not see. A page's {@link
 * KeyPage#next()} may be such a key, so use {@link #lastSeen} for what is sent to the client.
 */
public final class ReadableKeys {
    private ReadableKeys() {}

    /** The keys of a storage that a token may see. */
    public static Function<KeyQuery, Future<KeyPage>> of(KeyAdministration storage, Rights rights) {
        return query -> inspect(storage, rights, query);
    }

    private static Future<KeyPage> inspect(KeyAdministration storage, Rights rights, KeyQuery query) {
        byte[] prefix = rights.readable(query.prefix());
        if (prefix == null) {
            return Future.succeededFuture(new KeyPage(List.of(), null));
        }
        KeyQuery narrowed = new KeyQuery(prefix, query.after(), query.limit(), query.filter(), query.clients());
        return storage.inspect(narrowed).map(page -> readable(page, rights));
    }

    private static KeyPage readable(KeyPage page, Rights rights) {
        return new KeyPage(
                page.keys().stream().filter(key -> rights.mayRead(key.key())).toList(),
                page.details().stream()
                        .filter(detail -> rights.mayRead(detail.summary().key()))
                        .toList(),
                page.next());
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
