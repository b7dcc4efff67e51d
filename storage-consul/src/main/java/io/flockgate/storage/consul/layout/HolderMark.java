package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Token;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway writes into the key of a grant: the contender key of a semaphore's holder, or a lock's key. Anybody who can
 * read Consul can read it, so it has the token's hash only, which cannot be guessed: half the token is random.
 *
 * @param gateway the name of the gateway's process
 * @param nonce of this grant, no secret
 * @param fenceIndex the index of the grant; 0 when it is the key's ModifyIndex, as it is until the key is written again
 * @param leaseMillis the lease, from the sending of the write on
 * @param silent whether the lease is renewed without a write, so that nothing but its session tells that the gateway has died
 * @param sequence rises with every renewal that is written, so that the key changes
 * @param hash of nonce and token's random half, in hexadecimal
 */
public record HolderMark(
        String gateway, String nonce, long fenceIndex, long leaseMillis, boolean silent, long sequence, String hash) {
    /** The mark of a new grant. */
    public static HolderMark of(String gateway, String nonce, long salt, long leaseMillis, boolean silent) {
        return new HolderMark(gateway, nonce, 0, leaseMillis, silent, 0, hash(nonce, salt));
    }

    /** The mark after a renewal. */
    public HolderMark renewed(long fence, long lease, boolean silently) {
        return new HolderMark(gateway, nonce, fence, lease, silently, sequence + 1, hash);
    }

    /** Whether this is the mark of the token with this random half. Takes as long whichever digits differ. */
    public boolean isOf(Token token) {
        return MessageDigest.isEqual(ascii(hash), ascii(hash(nonce, token.salt())));
    }

    private static String hash(String nonce, long salt) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(ascii(nonce));
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(salt).array());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    public byte[] toBytes() {
        JsonObject json = new JsonObject().put("gw", gateway).put("nonce", nonce);
        if (fenceIndex != 0) {
            json.put("fence", fenceIndex);
        }
        json.put("lease_ms", leaseMillis);
        if (silent) {
            json.put("silent", true);
        }
        return json.put("seq", sequence).put("tok", hash).toBuffer().getBytes();
    }

    /** Null when this is no gateway's mark. */
    public static @Nullable HolderMark parse(byte[] value) {
        return MarkParser.parse(value, json -> {
            String gateway = json.getString("gw");
            String nonce = json.getString("nonce");
            String hash = json.getString("tok");
            if (gateway == null || nonce == null || hash == null) {
                return null;
            }
            return new HolderMark(
                    gateway,
                    nonce,
                    json.getLong("fence", 0L),
                    json.getLong("lease_ms", Long.MAX_VALUE),
                    json.getBoolean("silent", false),
                    json.getLong("seq", 0L),
                    hash);
        });
    }
}
