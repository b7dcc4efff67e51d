package io.flockgate.storage.consul.format;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import io.flockgate.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of a holder's key, written by a gateway: of a lock's key, or of the contender key of a
 * semaphore's holder. Any client with read access to Consul can read it, so it contains only a hash
 * of the token, which cannot be guessed because half of it is random. A gateway keeps unknown
 * fields, and leaves a mark of an unknown version alone.
 *
 * @param gateway the name of the gateway's process
 * @param nonce the name of this grant; not a secret
 * @param fenceIndex the index of the grant; 0 until the first renewal, when it is the key's
 *     ModifyIndex
 * @param leaseMillis the length of the lease, which begins when the write is sent
 * @param sequence rises with each renewal by a write, so that the key changes
 * @param hash the hash of the nonce and the token's random half, in hexadecimal
 * @param origin where the session of the grant comes from
 * @param others the other fields by name
 */
public record HolderMark(
        String gateway,
        String nonce,
        long fenceIndex,
        long leaseMillis,
        long sequence,
        String hash,
        SessionOrigin origin,
        JsonObject others) {
    private static final Set<String> FIELDS =
            Values.fields("gw", "nonce", "fence", "lease_ms", "seq", "tok", "ttl_ms", "node", "detached");

    /**
     * The TTL of a mark that cannot be read. Under it an endless lease is silent, so no gateway
     * takes the unchanged entry for an ended lease.
     */
    private static final long UNREADABLE_TTL_MILLIS = Long.MAX_VALUE / 2;

    /** A century, so that the nanoseconds fit into 64 bits, with room for a margin. */
    private static final long LONGEST_MILLIS = 36_500L * 24 * 60 * 60 * 1000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** The time added for a holder that is slow but alive. */
    private static final long GRACE_MILLIS = 1_000;

    /**
     * The allowance for clocks that run at different speeds is the time divided by this: ten times
     * the error of a poor quartz.
     */
    private static final long DRIFT_PART = 1_000;

    /** The mark of a new grant. */
    public static HolderMark of(String gateway, String nonce, long salt, long leaseMillis) {
        return new HolderMark(
                gateway, nonce, 0, leaseMillis, 0, hash(nonce, salt), SessionOrigin.UNKNOWN, JsonObject.EMPTY);
    }

    public HolderMark from(SessionOrigin other) {
        return new HolderMark(gateway, nonce, fenceIndex, leaseMillis, sequence, hash, other, others);
    }

    /** The mark of the same grant to this client. */
    public HolderMark to(@Nullable ClientMark client) {
        return new HolderMark(
                gateway, nonce, fenceIndex, leaseMillis, sequence, hash, origin, ClientMark.in(others, client));
    }

    /** The client that holds the grant; null when the mark does not name it. */
    public @Nullable ClientMark client() {
        return ClientMark.of(others);
    }

    /** The mark after a renewal. */
    public HolderMark renewed(long fence, long lease) {
        return new HolderMark(gateway, nonce, fence, lease, sequence + 1, hash, origin.renewed(lease), others);
    }

    /**
     * Whether the lease is renewed without a write: it is plain, and so long that it may as well
     * end with its session, which alone then shows that the gateway has died.
     */
    public boolean isSilent() {
        return isSilent(leaseMillis, origin);
    }

    /** Whether a lease of this length under such a session is {@link #isSilent}. */
    public static boolean isSilent(long leaseMillis, SessionOrigin origin) {
        return !origin.detached() && origin.ttlMillis() > 0 && leaseMillis / 2 >= origin.ttlMillis();
    }

    /** Whether the grant outlives its gateway. */
    public boolean isDetached() {
        return origin.detached();
    }

    /**
     * The nanoseconds for which the holder's entry may stay unchanged, if its lease is renewed by
     * writes.
     */
    public long unrenewedNanos() {
        return withGrace(leaseMillis);
    }

    /**
     * The nanoseconds for which the slot counts as held after its session has ended, because its
     * holder may still trust the grant. The holder of a detached grant may do so for its lease.
     *
     * @param otherwiseMillis the time for which the holder may do so if the mark has none
     */
    public long trustedNanos(long otherwiseMillis) {
        long ttl = origin.ttlMillis() > 0 ? origin.ttlMillis() : otherwiseMillis;
        return withGrace(isDetached() ? Math.max(ttl, leaseMillis) : ttl);
    }

    private static long withGrace(long millis) {
        long time = Math.min(millis, LONGEST_MILLIS);
        return (time + time / DRIFT_PART + GRACE_MILLIS) * NANOS_PER_MILLI;
    }

    /**
     * Whether the mark belongs to the token with this random half. The duration does not depend on
     * which digits differ. The caller must compare the fence.
     */
    public boolean isOf(long salt) {
        return MessageDigest.isEqual(ascii(hash), ascii(hash(nonce, salt)));
    }

    private static String hash(String nonce, long salt) {
        return Sha256.hex(
                ascii(nonce), ByteBuffer.allocate(Long.BYTES).putLong(salt).array());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    public byte[] toBytes() {
        JsonObject.Builder json = Values.version().put("gw", gateway).put("nonce", nonce);
        if (fenceIndex != 0) {
            json.put("fence", fenceIndex);
        }
        json.put("lease_ms", leaseMillis).put("seq", sequence).put("tok", hash);
        origin.addTo(json);
        return json.putAll(others).toBytes();
    }

    /**
     * Reads a mark. Null when the value is not a gateway's mark of a known version. If a field of
     * the lease has another form, the end of the lease is unknown, and no other gateway evicts the
     * holder.
     */
    public static @Nullable HolderMark parse(byte[] value) {
        return Values.parseVersion(value, json -> {
            String gateway = Values.text(json, "gw");
            String nonce = Values.text(json, "nonce");
            String hash = Values.text(json, "tok");
            if (gateway == null || nonce == null || hash == null) {
                return null;
            }
            boolean readable =
                    Values.areWhole(json, "fence", "lease_ms", "seq", "ttl_ms") && Values.isTruth(json, "detached");
            SessionOrigin origin = SessionOrigin.in(json);
            return new HolderMark(
                    gateway,
                    nonce,
                    Values.whole(json, "fence", 0, 0),
                    readable ? Values.whole(json, "lease_ms", Long.MAX_VALUE, 0) : Long.MAX_VALUE,
                    Values.whole(json, "seq", 0, 0),
                    hash,
                    readable ? origin : new SessionOrigin(origin.node(), UNREADABLE_TTL_MILLIS, false),
                    json.without(FIELDS));
        });
    }

    /**
     * The origin of the session of a grant. Other members need it when the session ends before the
     * grant.
     *
     * @param node the node in Consul's catalog that the session belongs to; null when it is not
     *     known
     * @param ttlMillis the time for which the holder may trust the session after a renewal; 0 when
     *     it is not known
     * @param detached whether the session holds this grant alone, and does not end with the grant's
     *     gateway
     */
    public record SessionOrigin(@Nullable String node, long ttlMillis, boolean detached) {
        public static final SessionOrigin UNKNOWN = new SessionOrigin(null, 0, false);

        /**
         * The origin of a renewed grant. A detached session ends only with its lease, so the holder
         * trusts it for the length of the lease.
         */
        SessionOrigin renewed(long leaseMillis) {
            return detached ? new SessionOrigin(node, leaseMillis, true) : this;
        }

        void addTo(JsonObject.Builder json) {
            if (ttlMillis != 0) {
                json.put("ttl_ms", ttlMillis);
            }
            if (node != null) {
                json.put("node", node);
            }
            if (detached) {
                json.putTrue("detached");
            }
        }

        static SessionOrigin in(JsonObject json) {
            return new SessionOrigin(
                    Values.text(json, "node"),
                    Values.whole(json, "ttl_ms", 0, Long.MAX_VALUE),
                    Values.isTrue(json, "detached"));
        }
    }

    /**
     * A grant that is prepared but not made yet. Views show the grant by the nonce of its mark.
     *
     * @param session the session that will hold the lock, or be a holder of the semaphore; it must
     *     not be a holder yet
     * @param salt the random half of the token
     */
    public record PendingGrant(Kind kind, long limit, String session, HolderMark mark, long salt) {
        public String nonce() {
            return mark.nonce();
        }
    }
}
