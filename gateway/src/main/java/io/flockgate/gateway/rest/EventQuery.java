package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
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
        byte[] prefix = given.bytes("prefix");
        return new EventQuery(
                prefix == null ? new byte[0] : prefix,
                key(given.bytes("key")),
                types(given),
                last(given.bytes("last")),
                rights);
    }

    private static @Nullable Key key(byte @Nullable [] value) {
        return value == null ? null : LockBody.key(value);
    }

    private static int last(byte @Nullable [] value) {
        String text = value == null ? "0" : new String(value, StandardCharsets.ISO_8859_1);
        int last = text.matches("[0-9]{1,3}") ? Integer.parseInt(text) : -1;
        if (last < 0 || last > MAX_LAST) {
            throw new FaultException("last must be a number from 0 to " + MAX_LAST);
        }
        return last;
    }

    private static Set<EventType> types(Query given) {
        byte[] value = given.bytes("type");
        if (value == null) {
            return EnumSet.allOf(EventType.class);
        }
        Set<EventType> types = EnumSet.noneOf(EventType.class);
        for (String word : new String(value, StandardCharsets.ISO_8859_1).split(",", -1)) {
            types.add(type(word));
        }
        return types;
    }

    private static EventType type(String word) {
        for (EventType type : EventType.values()) {
            if (type.text().equals(word)) {
                return type;
            }
        }
        throw new FaultException("type must be one or several, separated by commas, of "
                + Arrays.stream(EventType.values()).map(EventType::text).collect(Collectors.joining(", ")));
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
