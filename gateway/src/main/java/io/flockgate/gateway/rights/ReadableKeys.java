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
public record ReadableKeys(KeyAdministration storage, Rights rights) implements Function<KeyQuery, Future<KeyPage>> {
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
