package io.flockgate.storage.consul.layout;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.text.Quoting;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The client of a mark or a ticket: the field {@code client}, and {@code since} beside it. Both are for operators only. Gateways of earlier versions keep them as
 * fields that they do not know. What is missing, too long or malformed counts as not known.
 *
 * @param id the number of the client within its gateway's process; 0 when it is not known
 * @param sinceSeconds the time of the grant or the claim by the clock of the gateway that has written it; 0 when it is not known
 */
public record ClientMark(long id, ClientDescription description, long sinceSeconds) {
    private static final String CLIENT = "client";
    private static final String SINCE = "since";
    private static final String ID = "id";
    private static final String VIA = "via";
    private static final String NAME = "name";
    private static final String ADDRESS = "addr";
    private static final String TOKEN_NAME = "token_name";
    private static final String CONNECTION = "connection";
    private static final String SESSION = "session";
    private static final String CONSUL = "consul";

    /** The end of the year 9999. */
    private static final long MAX_SECONDS = 253_402_300_799L;

    /** The same client at another time. */
    ClientMark at(long seconds) {
        return new ClientMark(id, description, seconds);
    }

    /** The fields of a mark with this client, beside other fields. A null removes the client. */
    static Map<String, Object> in(Map<String, Object> others, @Nullable ClientMark client) {
        Map<String, Object> fields = new LinkedHashMap<>(others);
        fields.remove(CLIENT);
        fields.remove(SINCE);
        if (client != null) {
            fields.put(CLIENT, client.toJson());
            if (client.sinceSeconds != 0) {
                fields.put(SINCE, client.sinceSeconds);
            }
        }
        return fields;
    }

    private JsonObject toJson() {
        JsonObject json = new JsonObject();
        if (id != 0) {
            json.put(ID, id);
        }
        switch (description.via()) {
            case CONNECTION -> json.put(VIA, CONNECTION);
            case SESSION -> json.put(VIA, SESSION);
            case CONSUL -> json.put(VIA, CONSUL);
            case OTHER -> {}
        }
        if (description.name() != null) {
            json.put(NAME, description.name());
        }
        if (description.address() != null) {
            json.put(ADDRESS, description.address());
        }
        if (description.tokenName() != null) {
            json.put(TOKEN_NAME, description.tokenName());
        }
        return json;
    }

    /** The client in the fields of a mark; null when they have none. */
    static @Nullable ClientMark of(Map<String, Object> fields) {
        JsonObject client = object(fields.get(CLIENT));
        if (client == null) {
            return null;
        }
        return new ClientMark(
                number(client.getValue(ID)),
                new ClientDescription(
                        via(client.getValue(VIA)),
                        text(client.getValue(NAME), ClientDescription.MAX_NAME_BYTES),
                        text(client.getValue(ADDRESS), ClientDescription.MAX_ADDRESS_LENGTH),
                        text(client.getValue(TOKEN_NAME), ClientDescription.MAX_TOKEN_NAME_LENGTH)),
                since(fields.get(SINCE)));
    }

    /** A time in seconds since 1970; 0 when the value is none. */
    static long since(@Nullable Object value) {
        long seconds = number(value);
        return seconds <= MAX_SECONDS ? seconds : 0;
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? Math.max(0, number.longValue()) : 0;
    }

    @SuppressWarnings("unchecked") // the maps of JSON have texts for keys
    private static @Nullable JsonObject object(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject((Map<String, Object>) map);
        }
        return value instanceof JsonObject json ? json : null;
    }

    private static Via via(@Nullable Object value) {
        if (CONNECTION.equals(value)) {
            return Via.CONNECTION;
        }
        if (SESSION.equals(value)) {
            return Via.SESSION;
        }
        return CONSUL.equals(value) ? Via.CONSUL : Via.OTHER;
    }

    /** A printable text that is not empty and not too long; null when the value is none. */
    static @Nullable String text(@Nullable Object value, int maxBytes) {
        return value instanceof String text
                        && !text.isEmpty()
                        && text.length() <= maxBytes
                        && text.codePoints().allMatch(Quoting::isPrintable)
                        && text.getBytes(StandardCharsets.UTF_8).length <= maxBytes
                ? text
                : null;
    }
}
