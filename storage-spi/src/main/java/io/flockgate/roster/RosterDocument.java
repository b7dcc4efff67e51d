package io.flockgate.roster;

import io.flockgate.roster.Roster.Pause;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A roster in its stored form: JSON, one line for each member.
 *
 * <pre>
 * {"version":1,"revision":7,"writer":"node-1","fence":3,"slots":2,
 * "pause":{"since":"2026-03-01T12:00:00Z","reason":"kernel panics"},
 * "members":[
 * {"id":"…","fence":3,"since":"…","seen":"…","address":"192.0.2.1","gateway":"node-1"}
 * ]}
 * </pre>
 *
 * @param revision rises by one with each write, so that no two writes store the same bytes
 * @param writer the node name of the gateway that wrote the document
 * @param slots the slots of the group at the last join; for operators only, because no rule depends
 *     on it
 */
public record RosterDocument(long revision, String writer, long slots, Roster roster) {
    /** The version written. A document of another version is neither read nor overwritten. */
    public static final int VERSION = 1;

    /** The document of a group that was never written. */
    public static final RosterDocument NONE = new RosterDocument(0, "", 0, Roster.EMPTY);

    /** The document that replaces this one. */
    RosterDocument next(String newWriter, long newSlots, Roster after) {
        return new RosterDocument(revision + 1, newWriter, newSlots, after);
    }

    public byte[] toBytes() {
        return (toText() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** The document without a line feed at its end. UTF-8 can encode the text. */
    public String toText() {
        JsonObject head = new JsonObject()
                .put("version", VERSION)
                .put("revision", revision)
                .put("writer", writer)
                .put("fence", roster.lastFence())
                .put("slots", slots);
        StringBuilder text = new StringBuilder(withoutEnd(head)).append(",\n");
        roster.pause()
                .ifPresent(
                        pause -> text.append("\"pause\":").append(json(pause)).append(",\n"));
        text.append("\"members\":[");
        String separator = "\n";
        for (Member member : roster.members().values()) {
            text.append(separator).append(json(member));
            separator = ",\n";
        }
        return escape(text.append("\n]}"));
    }

    /** Replaces halves of surrogate pairs, which UTF-8 cannot encode, by their JSON escapes. */
    private static String escape(CharSequence json) {
        StringBuilder out = new StringBuilder(json.length());
        json.codePoints().forEach(c -> {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                out.append("\\u").append(Integer.toHexString(c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    private static String withoutEnd(JsonObject json) {
        String text = json.encode();
        return text.substring(0, text.length() - 1);
    }

    private static String json(Pause pause) {
        return new JsonObject()
                .put("since", pause.since().toString())
                .put("reason", pause.reason())
                .encode();
    }

    private static String json(Member member) {
        return new JsonObject()
                .put("id", member.id())
                .put("fence", member.fence())
                .put("since", member.since().toString())
                .put("seen", member.lastSeen().toString())
                .put("address", member.address())
                .put("gateway", member.gateway())
                .encode();
    }

    /** Reads a document; null for one that no gateway of this version can have written. */
    public static @Nullable RosterDocument parse(byte[] value) {
        try {
            return parse(new JsonObject(new String(value, StandardCharsets.UTF_8)));
        } catch (DecodeException e) {
            return null;
        }
    }

    /** Reads a document; null for one that no gateway of this version can have written. */
    public static @Nullable RosterDocument parse(JsonObject json) {
        try {
            return whole(json, "version") == VERSION ? of(json) : null;
        } catch (ClassCastException | NullPointerException | DateTimeException e) {
            return null;
        }
    }

    private static RosterDocument of(JsonObject json) {
        TreeMap<String, Member> members = new TreeMap<>();
        JsonArray list = Objects.requireNonNull(json.getJsonArray("members"));
        for (int i = 0; i < list.size(); i++) {
            Member member = member(Objects.requireNonNull(list.getJsonObject(i)));
            if (members.put(member.id(), member) != null) {
                throw new ClassCastException("a member twice");
            }
        }
        Roster roster = new Roster(whole(json, "fence"), pause(json), members);
        return new RosterDocument(whole(json, "revision"), text(json, "writer"), whole(json, "slots"), roster);
    }

    private static Optional<Pause> pause(JsonObject json) {
        JsonObject pause = json.getJsonObject("pause");
        return pause == null ? Optional.empty() : Optional.of(new Pause(time(pause, "since"), text(pause, "reason")));
    }

    private static Member member(JsonObject json) {
        return new Member(
                text(json, "id"),
                whole(json, "fence"),
                time(json, "since"),
                time(json, "seen"),
                text(json, "address"),
                text(json, "gateway"));
    }

    private static String text(JsonObject json, String name) {
        return (String) Objects.requireNonNull(json.getValue(name));
    }

    private static Instant time(JsonObject json, String name) {
        return Instant.parse(text(json, name));
    }

    private static long whole(JsonObject json, String name) {
        Object value = Objects.requireNonNull(json.getValue(name));
        return value instanceof Integer number ? number : (Long) value;
    }
}
