package io.flockgate.client.consul;

import io.flockgate.client.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The value of a holder's key. Grants of this client have the marks of detached grants: every gateway and client sees when their leases
 * end. Fields that this client does not know are kept.
 *
 * @param nonce the name of the grant; no secret
 * @param fenceIndex the index of the grant; 0 until the first renewal, when it is the key's ModifyIndex
 * @param silent whether the lease is renewed without a write. Only gateways do that
 * @param sequence rises with each renewal
 * @param hash the hash of the token
 * @param ttlMillis the time for which the holder believes in its session after a renewal; 0 when unknown
 */
record Mark(
        String nonce,
        long fenceIndex,
        long leaseMillis,
        boolean silent,
        long sequence,
        String hash,
        long ttlMillis,
        boolean detached,
        JsonObject json) {
    /** A century. The nanoseconds then fit into 64 bits. */
    private static final long LONGEST_MILLIS = 36_500L * 24 * 60 * 60 * 1000;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long GRACE_MILLIS = 1_000;

    /** The mark of a new grant. */
    static Mark of(String process, String nonce, long salt, long leaseMillis, ClientField client) {
        JsonObject.Builder mark = JsonObject.builder()
                .put(Values.VERSION_FIELD, Values.VERSION)
                .put("gw", process)
                .put("nonce", nonce)
                .put("lease_ms", leaseMillis)
                .put("seq", 0)
                .put("tok", Token.hash(nonce, salt))
                .put("ttl_ms", leaseMillis)
                .put("detached", true);
        return of(client.addTo(mark).build());
    }

    private static Mark of(JsonObject json) {
        Mark mark = read(json);
        if (mark == null) {
            throw new IllegalStateException("a mark without a field");
        }
        return mark;
    }

    /**
     * Reads a mark. Null when the value is no mark of a known version. If a field of the lease has another form, nobody knows when the
     * lease ends: the mark is then of a holder that no other client evicts.
     */
    static @Nullable Mark parse(byte[] value) {
        return Values.parseVersion(value, Mark::read);
    }

    private static @Nullable Mark read(JsonObject json) {
        String gateway = Values.text(json, "gw");
        String nonce = Values.text(json, "nonce");
        String hash = Values.text(json, "tok");
        if (gateway == null || nonce == null || hash == null) {
            return null;
        }
        boolean readable = Values.areWhole(json, "fence", "lease_ms", "seq", "ttl_ms")
                && Values.areTruths(json, "silent", "detached");
        return new Mark(
                nonce,
                Values.whole(json, "fence", 0, 0),
                readable ? Values.whole(json, "lease_ms", Long.MAX_VALUE, 0) : Long.MAX_VALUE,
                !readable || Values.isTrue(json, "silent"),
                Values.whole(json, "seq", 0, 0),
                hash,
                readable ? Values.whole(json, "ttl_ms", 0, 0) : Long.MAX_VALUE,
                readable && Values.isTrue(json, "detached"),
                json);
    }

    /** The mark after a renewal. */
    Mark renewed(long fence, long lease) {
        JsonObject.Builder renewed = json.toBuilder()
                .put("fence", fence)
                .put("lease_ms", lease)
                .put("seq", sequence + 1)
                .remove("silent");
        return of((detached ? renewed.put("ttl_ms", lease) : renewed).build());
    }

    /** Whether the mark is of the token. The time does not depend on the digits that differ. */
    boolean isOf(Token token) {
        return MessageDigest.isEqual(ascii(hash), ascii(Token.hash(nonce, token.salt())));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The nanoseconds for which the entry of a lease that is renewed by writes may stay unchanged. */
    long unrenewedNanos() {
        return (Math.min(leaseMillis, LONGEST_MILLIS) + GRACE_MILLIS) * NANOS_PER_MILLI;
    }

    /**
     * The nanoseconds for which the slot of an ended session counts as held.
     *
     * @param otherwiseMillis the time for which the holder may believe in its session if the mark does not tell
     */
    long believedNanos(long otherwiseMillis) {
        long ttl = ttlMillis > 0 ? ttlMillis : otherwiseMillis;
        long millis = detached ? Math.max(ttl, leaseMillis) : ttl;
        return (Math.min(millis, LONGEST_MILLIS) + GRACE_MILLIS) * NANOS_PER_MILLI;
    }
}
