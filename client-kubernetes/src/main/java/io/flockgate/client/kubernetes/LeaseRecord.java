package io.flockgate.client.kubernetes;

import io.flockgate.client.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * A Lease object of Kubernetes as a value. Unknown fields are kept unchanged.
 *
 * <p>The times in it are for people and for other software; they are never compared with a clock.
 *
 * @param object the object as the API server returned it
 */
record LeaseRecord(JsonObject object) {
    /** Contains the hash of the current grant's secret. */
    private static final String GRANT = "flockgate.io/grant";

    /** Contains the name of the lease if the object has a different one. */
    private static final String NAME = "flockgate.io/name";

    private static final Duration LONGEST = Duration.ofDays(1);
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    /** An object that does not exist yet. */
    static LeaseRecord missing(String name) {
        String objectName = ObjectNames.of(name);
        JsonObject.Builder metadata = JsonObject.builder().put("name", objectName);
        if (!objectName.equals(name)) {
            metadata.put("annotations", JsonObject.builder().put(NAME, name).build());
        }
        return new LeaseRecord(JsonObject.builder()
                .put("apiVersion", "coordination.k8s.io/v1")
                .put("kind", "Lease")
                .put("metadata", metadata.build())
                .put("spec", JsonObject.EMPTY)
                .build());
    }

    private static JsonObject part(JsonObject of, String name) {
        JsonObject part = of.object(name);
        return part == null ? JsonObject.EMPTY : part;
    }

    private JsonObject metadata() {
        return part(object, "metadata");
    }

    private JsonObject annotations() {
        return part(metadata(), "annotations");
    }

    private JsonObject spec() {
        return part(object, "spec");
    }

    /** True for a Lease object as an API server returns it. */
    boolean isComplete() {
        return "Lease".equals(object.string("kind")) && !version().isEmpty();
    }

    /** Changes with each write of the object; opaque. Empty before the first. */
    String version() {
        String version = metadata().string("resourceVersion");
        return version == null ? "" : version;
    }

    /** True if no holder is named. */
    boolean isFree() {
        return holder().isEmpty();
    }

    private String holder() {
        return text("holderIdentity");
    }

    /** The holder's record, which each renewal changes. */
    record Holding(String holder, String acquired, String renewed, long seconds, long transitions) {}

    Holding holding() {
        Long seconds = spec().number("leaseDurationSeconds");
        return new Holding(
                holder(), text("acquireTime"), text("renewTime"), seconds == null ? 0 : seconds, transitions());
    }

    private String text(String field) {
        String text = spec().string(field);
        return text == null ? "" : text;
    }

    /** How often the lease has passed to a holder. */
    long transitions() {
        Long transitions = spec().number("leaseTransitions");
        return transitions == null ? 0 : Math.max(0, transitions);
    }

    /**
     * The time after which an unchanged record has expired: the holder's, or ours if the record has
     * no valid one.
     */
    Duration duration(Duration ours) {
        Long seconds = spec().number("leaseDurationSeconds");
        if (seconds == null || seconds <= 0) {
            return ours;
        }
        return seconds > LONGEST.toSeconds() ? LONGEST : Duration.ofSeconds(seconds);
    }

    boolean isHeldBy(String owner, GrantToken token) {
        return isClaimedBy(owner, token.secret()) && transitions() == token.fence();
    }

    boolean isClaimedBy(String owner, String secret) {
        return holder().equals(owner) && Hashes.of(secret).equals(annotations().string(GRANT));
    }

    LeaseRecord claimed(String owner, String secret, Duration ttl, Instant now) {
        JsonObject spec = spec().toBuilder()
                .put("holderIdentity", owner)
                .put("leaseDurationSeconds", ttl.toSeconds())
                .put("acquireTime", MICRO_TIME.format(now))
                .put("renewTime", MICRO_TIME.format(now))
                .put("leaseTransitions", transitions() + 1)
                .build();
        return with(annotations().toBuilder().put(GRANT, Hashes.of(secret)).build(), spec);
    }

    /**
     * The record with a new time, even if the wall clock stands still: it shows other clients that
     * the holder is alive.
     */
    LeaseRecord renewed(Duration ttl, Instant now) {
        boolean same = MICRO_TIME.format(now).equals(text("renewTime"));
        JsonObject spec = spec().toBuilder()
                .put("leaseDurationSeconds", ttl.toSeconds())
                .put("renewTime", MICRO_TIME.format(same ? now.plus(1, ChronoUnit.MICROS) : now))
                .build();
        return with(annotations(), spec);
    }

    /**
     * The record without a holder, in the form that other Kubernetes clients recognise as released.
     * The transitions are kept, so that fences rise.
     */
    LeaseRecord released(Instant now) {
        JsonObject spec = spec().toBuilder()
                .put("holderIdentity", "")
                .put("leaseDurationSeconds", 1)
                .put("renewTime", MICRO_TIME.format(now))
                .build();
        return with(annotations().toBuilder().remove(GRANT).build(), spec);
    }

    private LeaseRecord with(JsonObject annotations, JsonObject spec) {
        JsonObject metadata =
                metadata().toBuilder().put("annotations", annotations).build();
        return new LeaseRecord(
                object.toBuilder().put("metadata", metadata).put("spec", spec).build());
    }

    /** Shows nothing of the object, because it contains the hash of a secret. */
    @Override
    public String toString() {
        return "lease at version " + version();
    }
}
