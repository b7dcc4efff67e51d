package io.flockgate.client.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Lease object of Kubernetes as a value, which nothing changes. Unknown fields are kept.
 *
 * <p>The times in it are for people and for other software; they are never compared with a clock.
 *
 * @param object the object as the API server returned it
 */
record LeaseRecord(ObjectNode object) {
    /** Contains the hash of the current grant's secret. */
    private static final String GRANT = "flockgate.io/grant";

    /** Contains the name of the lease if the object has a different one. */
    private static final String NAME = "flockgate.io/name";

    private static final Duration LONGEST = Duration.ofDays(1);
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    /** A field has another type than in a Lease object. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Malformed(String field, String type) {
            super("the field " + field + " is no " + type);
        }
    }

    /** An object that does not exist yet. */
    static LeaseRecord missing(String name) {
        String objectName = ObjectNames.of(name);
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        ObjectNode metadata = object.putObject("metadata").put("name", objectName);
        if (!objectName.equals(name)) {
            metadata.putObject("annotations").put(NAME, name);
        }
        object.putObject("spec");
        return new LeaseRecord(object);
    }

    /** An object in the other; a new one, not yet part of it, if there is none. */
    private static ObjectNode part(ObjectNode of, String field) {
        JsonNode part = of.path(field);
        if (part.isMissingNode() || part.isNull()) {
            return JsonNodeFactory.instance.objectNode();
        } else if (part instanceof ObjectNode object) {
            return object;
        }
        throw new Malformed(field, "object");
    }

    private static String text(ObjectNode of, String field) {
        JsonNode text = of.path(field);
        if (text.isMissingNode() || text.isNull()) {
            return "";
        } else if (!text.isTextual()) {
            throw new Malformed(field, "text");
        }
        return text.textValue();
    }

    /** Zero without one. */
    private static long number(ObjectNode of, String field) {
        JsonNode number = of.path(field);
        if (number.isMissingNode() || number.isNull()) {
            return 0;
        } else if (!number.isIntegralNumber() || !number.canConvertToLong()) {
            throw new Malformed(field, "number");
        }
        return number.longValue();
    }

    private ObjectNode metadata() {
        return part(object, "metadata");
    }

    private ObjectNode annotations() {
        return part(metadata(), "annotations");
    }

    private ObjectNode spec() {
        return part(object, "spec");
    }

    /** The object as the body of a request. */
    String json() {
        return object.toString();
    }

    /** True for a Lease object as an API server returns it. */
    boolean isComplete() {
        return text(object, "kind").equals("Lease") && !version().isEmpty();
    }

    /** Changes with each write of the object; opaque. Empty before the first. */
    String version() {
        return text(metadata(), "resourceVersion");
    }

    /** True if no holder is named. */
    boolean isFree() {
        return holder().isEmpty();
    }

    private String holder() {
        return text(spec(), "holderIdentity");
    }

    /** The holder's record, which each renewal changes. */
    record Holding(String holder, String acquired, String renewed, long seconds, long transitions) {}

    Holding holding() {
        return new Holding(holder(), text(spec(), "acquireTime"), text(spec(), "renewTime"), seconds(), transitions());
    }

    private long seconds() {
        return number(spec(), "leaseDurationSeconds");
    }

    /** How often the lease has passed to a holder. */
    long transitions() {
        return Math.max(0, number(spec(), "leaseTransitions"));
    }

    /** Begins again at 0 after the largest number that Kubernetes can keep. */
    private long nextTransitions() {
        return transitions() >= Integer.MAX_VALUE ? 0 : transitions() + 1;
    }

    /**
     * The time after which an unchanged record has expired: the holder's, or ours if the record has
     * no valid one.
     */
    Duration duration(Duration ours) {
        long seconds = seconds();
        if (seconds <= 0) {
            return ours;
        }
        return seconds > LONGEST.toSeconds() ? LONGEST : Duration.ofSeconds(seconds);
    }

    boolean isHeldBy(String owner, GrantToken token) {
        return isClaimedBy(owner, token.secret()) && transitions() == token.fence();
    }

    boolean isClaimedBy(String owner, String secret) {
        return holder().equals(owner) && ObjectNames.hash(secret).equals(text(annotations(), GRANT));
    }

    LeaseRecord claimed(String owner, String secret, Duration ttl, Instant now) {
        return changed(
                annotations -> annotations.put(GRANT, ObjectNames.hash(secret)),
                spec -> spec.put("holderIdentity", owner)
                        .put("leaseDurationSeconds", ttl.toSeconds())
                        .put("acquireTime", MICRO_TIME.format(now))
                        .put("renewTime", MICRO_TIME.format(now))
                        .put("leaseTransitions", nextTransitions()));
    }

    /**
     * The record with a new time, even if the wall clock stands still: it shows other clients that
     * the holder is alive.
     */
    LeaseRecord renewed(Duration ttl, Instant now) {
        boolean same = MICRO_TIME.format(now).equals(text(spec(), "renewTime"));
        return changed(
                annotations -> {},
                spec -> spec.put("leaseDurationSeconds", ttl.toSeconds())
                        .put("renewTime", MICRO_TIME.format(same ? now.plus(1, ChronoUnit.MICROS) : now)));
    }

    /**
     * The record without a holder, in the form that other Kubernetes clients recognise as released.
     * The transitions are kept, so that fences rise.
     */
    LeaseRecord released(Instant now) {
        return changed(
                annotations -> annotations.remove(GRANT),
                spec -> spec.put("holderIdentity", "")
                        .put("leaseDurationSeconds", 1)
                        .put("renewTime", MICRO_TIME.format(now)));
    }

    private LeaseRecord changed(Consumer<ObjectNode> annotations, Consumer<ObjectNode> spec) {
        LeaseRecord copy = new LeaseRecord(object.deepCopy());
        ObjectNode metadata = copy.metadata();
        ObjectNode notes = copy.annotations();
        ObjectNode fields = copy.spec();
        annotations.accept(notes);
        spec.accept(fields);
        metadata.set("annotations", notes);
        copy.object.set("metadata", metadata);
        copy.object.set("spec", fields);
        return copy;
    }

    /** Shows nothing of the object, because it contains the hash of a secret. */
    @Override
    public String toString() {
        return "lease at version " + version();
    }

    /**
     * The token of a grant: the fence, and a secret of which Kubernetes stores only the hash.
     *
     * @param fence the number of transitions of the lease with this grant
     * @param secret 16 hexadecimal digits
     */
    record GrantToken(long fence, String secret) {
        private static final SecureRandom RANDOM = new SecureRandom();
        private static final int DIGITS = 16;

        /** A secret for a claim, before its fence is known. */
        static String newSecret() {
            return HexFormat.of().toHexDigits(RANDOM.nextLong());
        }

        /** Reads a token; null if it is not one of ours. */
        static @Nullable GrantToken of(String text) {
            if (text.length() != 2 * DIGITS || !text.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
                return null;
            }
            return new GrantToken(HexFormat.fromHexDigitsToLong(text, 0, DIGITS), text.substring(DIGITS));
        }

        String text() {
            return HexFormat.of().toHexDigits(fence) + secret;
        }

        /** Without the secret. */
        @Override
        public String toString() {
            return "grant " + fence;
        }
    }
}
