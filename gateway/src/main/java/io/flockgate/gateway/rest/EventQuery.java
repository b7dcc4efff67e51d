package io.flockgate.gateway.rest;

import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for events. Other parameters are ignored.
 *
 * @param prefix the bytes that keys begin with; with a prefix, events without a key do not match
 * @param key the only key, which excludes events without a key; null for all
 * @param last the maximum number of kept events that the stream begins with
 * @param rights which hide keys from the client, and with them sessions; null if it may see all
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EventQuery(
        byte[] prefix,
        @Nullable Key key,
        Set<EventType> types,
        int last,
        @Nullable Rights rights) {
    private static final int MAX_LAST = 200;

    static EventQuery parse(@Nullable String query, @Nullable Rights rights) {
        Query given = Query.parse(query);
        return new EventQuery(
                given.bytes("prefix"),
                given.has("key") ? LockBody.key(given.bytes("key")) : null,
                types(given),
                (int) given.number("last", 0, MAX_LAST, 0),
                rights);
    }

    private static Set<EventType> types(Query given) {
        if (!given.has("type")) {
            return EnumSet.allOf(EventType.class);
        }
        Set<EventType> types = EnumSet.noneOf(EventType.class);
        for (String word : new String(given.bytes("type"), StandardCharsets.ISO_8859_1).split(",", -1)) {
            types.add(Query.constant("each type", word, EventType.values()));
        }
        return types;
    }

    boolean matches(ClientEvent event) {
        if (!types.contains(event.type())) {
            return false;
        }
        Key found = event.key();
        return found == null
                ? prefix.length == 0 && key == null && rights == null
                : (key == null || key.equals(found))
                        && found.startsWith(prefix)
                        && (rights == null || rights.mayRead(found));
    }
}
