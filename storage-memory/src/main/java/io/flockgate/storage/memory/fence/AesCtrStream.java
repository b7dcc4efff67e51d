package io.flockgate.storage.memory.fence;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key stream of AES-256 in counter mode, under a random key and starting point. Not thread
 * safe.
 *
 * <p>A salt costs 10 ns with this class, 45 ns with the JDK's DRBG and 136 ns with NativePRNG
 * (SaltBenchmark, busy machine).
 */
final class AesCtrStream implements SaltSource.RandomBytes {
    private static final int KEY_BYTES = 32;
    private static final int BLOCK_BYTES = 16;

    private final Cipher cipher;
    private final byte[] zeros = new byte[SaltSource.POOL_BYTES];

    /** Fills one array immediately, so that the first real use neither fails nor loads classes. */
    AesCtrStream(SecureRandom random) throws GeneralSecurityException {
        byte[] key = new byte[KEY_BYTES];
        byte[] start = new byte[BLOCK_BYTES];
        random.nextBytes(key);
        random.nextBytes(start);
        cipher = Cipher.getInstance("AES/CTR/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(start));
        Arrays.fill(key, (byte) 0);
        fill(new byte[SaltSource.POOL_BYTES]);
    }

    @Override
    public void fill(byte[] target) throws GeneralSecurityException {
        for (int done = 0; done < target.length; done += zeros.length) {
            int length = Math.min(zeros.length, target.length - done);
            if (cipher.update(zeros, 0, length, target, done) != length) {
                throw new ShortBufferException("key stream ended early");
            }
        }
    }
}
