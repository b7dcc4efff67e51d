package io.flockgate.storage.memory.roster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.roster.support.LoneSurrogates;
import io.flockgate.roster.support.RosterDocument;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The content of the rosters' file: JSON, with one {@link RosterDocument} for each group.
 *
 * <pre>
 * {"flockgate_rosters":1,"crc32c":"0a1b2c3d","rosters":[
 * {"group":"default","roster":{"version":1,…}},
 * {"group":"workers","roster":{"version":1,…}}
 * ]}
 * </pre>
 *
 * The checksum covers all lines but the first. The first line has no other form, so that a wrong bit in it is found as well.
 */
final class RosterFileCodec {
    private static final String ANY_VERSION = "{\"flockgate_rosters\":";
    private static final String THIS_VERSION = ANY_VERSION + "1,";

    private RosterFileCodec() {}

    static byte[] encode(Map<String, RosterDocument> documents) {
        StringBuilder body = new StringBuilder();
        String separator = "";
        for (Map.Entry<String, RosterDocument> each : new TreeMap<>(documents).entrySet()) {
            body.append(separator)
                    .append("{\"group\":")
                    .append(LoneSurrogates.escape(Json.encode(each.getKey())))
                    .append(",\"roster\":")
                    .append(each.getValue().toText())
                    .append('}');
            separator = ",\n";
        }
        byte[] content = body.append("\n]}\n").toString().getBytes(UTF_8);
        byte[] head = head(content, 0);
        byte[] file = Arrays.copyOf(head, head.length + content.length);
        System.arraycopy(content, 0, file, head.length, content.length);
        return file;
    }

    private static byte[] head(byte[] file, int bodyStart) {
        CRC32C crc = new CRC32C();
        crc.update(file, bodyStart, file.length - bodyStart);
        return String.format("%s\"crc32c\":\"%08x\",\"rosters\":[\n", THIS_VERSION, crc.getValue())
                .getBytes(UTF_8);
    }

    /**
     * Reads the documents by group.
     *
     * @throws IOException if these bytes are damaged, or are not what {@link #encode} makes
     */
    static Map<String, RosterDocument> decode(byte[] file) throws IOException {
        checkHead(file);
        Map<String, RosterDocument> documents = new HashMap<>();
        try {
            JsonArray rosters = new JsonObject(new String(file, UTF_8)).getJsonArray("rosters");
            for (int i = 0; i < rosters.size(); i++) {
                JsonObject entry = rosters.getJsonObject(i);
                documents.put(entry.getString("group"), document(entry));
            }
        } catch (DecodeException | ClassCastException | NullPointerException e) {
            throw new IOException("it is not of the form that its version has", e);
        }
        return documents;
    }

    private static RosterDocument document(JsonObject entry) throws IOException {
        RosterDocument document = RosterDocument.parse(entry.getJsonObject("roster"));
        if (document == null) {
            throw new IOException("the roster of the group " + Json.encode(entry.getString("group"))
                    + " is not of version " + RosterDocument.VERSION);
        }
        return document;
    }

    private static void checkHead(byte[] file) throws IOException {
        int bodyStart = 0;
        while (bodyStart < file.length && file[bodyStart] != '\n') {
            bodyStart++;
        }
        bodyStart = Math.min(bodyStart + 1, file.length);
        if (Arrays.equals(head(file, bodyStart), Arrays.copyOf(file, bodyStart))) {
            return;
        }
        String head = new String(file, 0, bodyStart, UTF_8);
        if (head.startsWith(THIS_VERSION)) {
            throw new IOException("it is damaged: the checksum in its first line does not fit the rest");
        }
        throw new IOException(
                head.startsWith(ANY_VERSION)
                        ? "another version of this program wrote it"
                        : "it does not begin as a file of rosters does");
    }
}
