package io.flockgate.client.kubernetes;

import io.flockgate.client.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The Lease objects of one namespace, with the API server's rules: versions, names, and the checks
 * of a Lease.
 */
final class Objects {
    /** An answer. */
    record Reply(int status, String body) {}

    private static final String NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

    private final Map<String, JsonObject> byName = new HashMap<>();
    private long version = 1000;

    synchronized Reply get(String name) {
        JsonObject object = byName.get(name);
        return object == null ? new Reply(404, "") : new Reply(200, object.toString());
    }

    synchronized Reply create(JsonObject object) {
        String name = name(object);
        if (!isValid(object) || !version(object).isEmpty()) {
            return new Reply(422, "");
        } else if (byName.containsKey(name)) {
            return new Reply(409, "");
        }
        return new Reply(201, store(name, object, UUID.randomUUID().toString()));
    }

    synchronized Reply replace(String name, JsonObject object) {
        JsonObject present = byName.get(name);
        if (present == null) {
            return new Reply(404, "");
        } else if (!isValid(object)
                || !name.equals(name(object))
                || version(object).isEmpty()) {
            return new Reply(422, "");
        } else if (!version(object).equals(version(present))) {
            return new Reply(409, "");
        }
        return new Reply(
                200, store(name, object, String.valueOf(metadata(present).string("uid"))));
    }

    private String store(String name, JsonObject object, String uid) {
        JsonObject metadata = metadata(object).toBuilder()
                .put("uid", uid)
                .put("resourceVersion", Long.toString(++version))
                .build();
        JsonObject stored = object.toBuilder().put("metadata", metadata).build();
        byName.put(name, stored);
        return stored.toString();
    }

    private static JsonObject metadata(JsonObject object) {
        JsonObject metadata = object.object("metadata");
        return metadata == null ? JsonObject.EMPTY : metadata;
    }

    private static String name(JsonObject object) {
        return String.valueOf(metadata(object).string("name"));
    }

    private static String version(JsonObject object) {
        String given = metadata(object).string("resourceVersion");
        return given == null ? "" : given;
    }

    private static boolean isValid(JsonObject object) {
        JsonObject spec = object.object("spec");
        Long duration = spec == null ? null : spec.number("leaseDurationSeconds");
        Long transitions = spec == null ? null : spec.number("leaseTransitions");
        return "Lease".equals(object.string("kind"))
                && "coordination.k8s.io/v1".equals(object.string("apiVersion"))
                && name(object).length() <= 253
                && name(object).matches(NAME)
                && (duration == null || (duration > 0 && duration <= Integer.MAX_VALUE))
                && (transitions == null || (transitions >= 0 && transitions <= Integer.MAX_VALUE))
                && isTime(spec, "renewTime")
                && isTime(spec, "acquireTime");
    }

    private static boolean isTime(@Nullable JsonObject spec, String field) {
        String time = spec == null ? null : spec.string(field);
        return time == null || time.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z");
    }

    /** The object with this name, which must exist. */
    synchronized JsonObject stored(String name) {
        JsonObject object = byName.get(name);
        if (object == null) {
            throw new AssertionError("there is no " + name + " in " + byName.keySet());
        }
        return object;
    }

    synchronized void delete(String name) {
        byName.remove(name);
    }

    /** Another client creates or replaces an object, whatever its version. */
    synchronized void force(String name, JsonObject spec) {
        JsonObject metadata = byName.containsKey(name)
                ? metadata(stored(name))
                : JsonObject.builder().put("name", name).build();
        String unused = store(
                name,
                JsonObject.builder()
                        .put("apiVersion", "coordination.k8s.io/v1")
                        .put("kind", "Lease")
                        .put("metadata", metadata)
                        .put("spec", spec)
                        .build(),
                "uid-" + name);
    }

    /** Another client sets a label, and changes nothing else. */
    synchronized void label(String name) {
        JsonObject object = stored(name);
        JsonObject metadata = metadata(object).toBuilder()
                .put(
                        "labels",
                        JsonObject.builder().put("seen", Long.toString(version)).build())
                .build();
        String unused = store(name, object.toBuilder().put("metadata", metadata).build(), "uid-" + name);
    }
}
