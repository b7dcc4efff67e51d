package io.flockgate.storage.memory.journal;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A grant in the journal. All numbers are big-endian.
 *
 * <pre>
 * 'G'  fence (8)  salt (8)  lease in seconds (8)  time of the grant in ms since 1970 (8)
 *      limit (8), 0 for a lock  length of the key (2)  key  memo
 * </pre>
 *
 * @param leaseSeconds the longest lease that the grant has had
 * @param memo of the claimant; not to be modified
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record GrantRecord(Token token, long leaseSeconds, long grantedAtMillis, Key key, long limit, byte[] memo)
        implements JournalRecord {
    private static final int FIXED_BYTES = 1 + 5 * Long.BYTES + Short.BYTES;

    public Kind kind() {
        return limit == 0 ? Kind.LOCK : Kind.SEMAPHORE;
    }

    /** The limit of the key, which is 1 for a lock. */
    public long slots() {
        return Math.max(limit, 1);
    }

    long fence() {
        return token.fence();
    }

    /** The same grant after a renewal. */
    GrantRecord renewed(long seconds) {
        return new GrantRecord(token, Math.max(leaseSeconds, seconds), grantedAtMillis, key, limit, memo);
    }

    @Override
    public byte[] encode() {
        byte[] name = key.toBytes();
        return ByteBuffer.allocate(FIXED_BYTES + name.length + memo.length)
                .put(GRANT)
                .putLong(token.fence())
                .putLong(token.salt())
                .putLong(leaseSeconds)
                .putLong(grantedAtMillis)
                .putLong(limit)
                .putShort((short) name.length)
                .put(name)
                .put(memo)
                .array();
    }

    /** Decodes what follows the type. */
    static GrantRecord decode(ByteBuffer in) throws IOException {
        Token token = new Token(in.getLong(), in.getLong());
        long leaseSeconds = in.getLong();
        long grantedAtMillis = in.getLong();
        long limit = in.getLong();
        byte[] name = next(in, Short.toUnsignedInt(in.getShort()));
        Key key = Key.copyOf(name, 0, name.length);
        if (key == null || token.fence() == 0 || leaseSeconds < 1 || leaseSeconds > Claim.MAX_SECONDS || limit < 0) {
            throw new IOException("a record is no grant that can have been made");
        }
        return new GrantRecord(token, leaseSeconds, grantedAtMillis, key, limit, next(in, in.remaining()));
    }

    private static byte[] next(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
