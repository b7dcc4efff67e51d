package io.flockgate.client.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The Lease objects of one namespace, with the API server's rules: versions, names, and the checks
 * of a Lease.
 */
final class Objects {
    /** An answer. */
    record Reply(int status, String body) {}

    private static final String NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

    private final Map<String, ObjectNode> byName = new HashMap<>();
    private long version = 1000;

    synchronized Reply get(String name) {
        ObjectNode object = byName.get(name);
        return object == null ? new Reply(404, "") : new Reply(200, object.toString());
    }

    synchronized Reply create(ObjectNode object) {
        String name = name(object);
        if (!isValid(object) || !version(object).isEmpty()) {
            return new Reply(422, "");
        } else if (byName.containsKey(name)) {
            return new Reply(409, "");
        }
        return new Reply(201, store(name, object, UUID.randomUUID().toString()));
    }

    synchronized Reply replace(String name, ObjectNode object) {
        ObjectNode present = byName.get(name);
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
                200, store(name, object, present.path("metadata").path("uid").asText("")));
    }

    private String store(String name, ObjectNode object, String uid) {
        ObjectNode stored = object.deepCopy();
        stored.withObjectProperty("metadata").put("uid", uid).put("resourceVersion", Long.toString(++version));
        byName.put(name, stored);
        return stored.toString();
    }

    private static String name(ObjectNode object) {
        return object.path("metadata").path("name").asText("null");
    }

    private static String version(ObjectNode object) {
        return object.path("metadata").path("resourceVersion").asText("");
    }

    private static boolean isValid(ObjectNode object) {
        JsonNode spec = object.path("spec");
        return object.path("kind").asText("").equals("Lease")
                && object.path("apiVersion").asText("").equals("coordination.k8s.io/v1")
                && name(object).length() <= 253
                && name(object).matches(NAME)
                && isNumber(spec, "leaseDurationSeconds", 1)
                && isNumber(spec, "leaseTransitions", 0)
                && isTime(spec, "renewTime")
                && isTime(spec, "acquireTime");
    }

    private static boolean isNumber(JsonNode spec, String field, long least) {
        JsonNode number = spec.path(field);
        return number.isMissingNode() || (number.canConvertToInt() && number.intValue() >= least);
    }

    private static boolean isTime(JsonNode spec, String field) {
        JsonNode time = spec.path(field);
        return time.isMissingNode()
                || time.asText("").matches("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z");
    }

    /** The object with this name, which must exist. */
    synchronized ObjectNode stored(String name) {
        ObjectNode object = byName.get(name);
        if (object == null) {
            throw new AssertionError("there is no " + name + " in " + byName.keySet());
        }
        return object;
    }

    synchronized void delete(String name) {
        byName.remove(name);
    }

    /** Another client creates or replaces an object, whatever its version. */
    synchronized void force(String name, ObjectNode spec) {
        ObjectNode object = byName.containsKey(name) ? stored(name).deepCopy() : JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease").set("spec", spec);
        object.withObjectProperty("metadata").put("name", name);
        String unused = store(name, object, "uid-" + name);
    }

    /** Another client sets a label, and changes nothing else. */
    synchronized void label(String name) {
        ObjectNode object = stored(name).deepCopy();
        object.withObjectProperty("metadata").putObject("labels").put("seen", Long.toString(version));
        String unused = store(name, object, "uid-" + name);
    }
}
