package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes the fields of a client as JSON. */
final class ClientJson {
    private ClientJson() {}

    /** Writes a client. Unknown fields are absent, except the number, which is 0. */
    static void write(JsonGenerator json, ClientView client) throws IOException {
        json.writeFieldName("conn_id");
        json.writeNumber(Long.toUnsignedString(client.id()));
        json.writeStringField("via", via(client.description().via()));
        writeIfKnown(json, "address", client.description().address());
        writeIfKnown(json, "name", client.description().name());
        writeIfKnown(json, "token_name", client.description().tokenName());
        writeIfKnown(json, "gateway", client.gateway());
    }

    private static String via(Via via) {
        return switch (via) {
            case CONNECTION -> "connection";
            case SESSION -> "session";
            case OTHER -> "other";
        };
    }

    private static void writeIfKnown(JsonGenerator json, String field, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(field, value);
        }
    }
}
