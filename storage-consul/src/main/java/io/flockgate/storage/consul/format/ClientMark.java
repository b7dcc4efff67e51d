package io.flockgate.storage.consul.format;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client of a mark or a ticket: the field {@code client}, and the field {@code since} next to
 * it. Both are for operators only. Values that are missing, too long or malformed count as not
 * known.
 *
 * @param id the number of the client within its gateway's process; 0 when it is not known
 * @param sinceSeconds the time of the grant or the claim, by the clock of the process that wrote
 *     it; 0 when it is not known
 */
public record ClientMark(long id, ClientDescription description, long sinceSeconds) {
    private static final String CLIENT = "client";
    private static final String SINCE = "since";
    private static final Set<String> FIELDS = Set.of(CLIENT, SINCE);
    private static final String ID = "id";
    private static final String VIA = "via";
    private static final String NAME = "name";
    private static final String ADDRESS = "addr";
    private static final String TOKEN_NAME = "token_name";

    /** The end of the year 9999. */
    private static final long MAX_SECONDS = 253_402_300_799L;

    /** These fields of a mark, with this client added. A null client removes the present one. */
    static JsonObject in(JsonObject others, @Nullable ClientMark client) {
        JsonObject without = others.without(FIELDS);
        if (client == null) {
            return without;
        }
        JsonObject.Builder fields = without.toBuilder().put(CLIENT, client.toJson());
        return client.sinceSeconds == 0
                ? fields.build()
                : fields.put(SINCE, client.sinceSeconds).build();
    }

    private JsonObject toJson() {
        JsonObject.Builder json = JsonObject.builder();
        if (id != 0) {
            json.put(ID, id);
        }
        putUnlessNull(json, VIA, text(description.via()));
        putUnlessNull(json, NAME, description.name());
        putUnlessNull(json, ADDRESS, description.address());
        putUnlessNull(json, TOKEN_NAME, description.tokenName());
        return json.build();
    }

    private static @Nullable String text(Via via) {
        return switch (via) {
            case CONNECTION -> "connection";
            case SESSION -> "session";
            case OTHER -> null;
        };
    }

    private static Via via(@Nullable String text) {
        return switch (text) {
            case "connection" -> Via.CONNECTION;
            case "session" -> Via.SESSION;
            case null, default -> Via.OTHER;
        };
    }

    private static void putUnlessNull(JsonObject.Builder json, String field, @Nullable String text) {
        if (text != null) {
            json.put(field, text);
        }
    }

    /** The client in the fields of a mark; null when they have none. */
    static @Nullable ClientMark of(JsonObject fields) {
        if (!(fields.get(CLIENT) instanceof JsonObject client)) {
            return null;
        }
        ClientDescription description = new ClientDescription(
                via(Values.text(client, VIA)),
                Values.printable(client, NAME, ClientDescription.MAX_NAME_BYTES),
                Values.printable(client, ADDRESS, ClientDescription.MAX_ADDRESS_LENGTH),
                Values.printable(client, TOKEN_NAME, ClientDescription.MAX_TOKEN_NAME_LENGTH));
        return new ClientMark(Values.whole(client, ID, 0, 0), description, since(fields));
    }

    /** The time in seconds since 1970 in these fields; 0 when they have none. */
    static long since(JsonObject fields) {
        long seconds = Values.whole(fields, SINCE, 0, 0);
        return seconds <= MAX_SECONDS ? seconds : 0;
    }
}
