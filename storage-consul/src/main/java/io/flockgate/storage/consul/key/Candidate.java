package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.Transactions.Grantee;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * A grant that is about to be tried, by whose nonce it can be found in Consul.
 *
 * @param salt the token's random half
 */
record Candidate(Claimant claimant, Grantee grantee, String nonce, long salt, long leaseSeconds) {
    private static final SecureRandom RANDOM = new SecureRandom();

    static Candidate of(Claim claim, Claimant claimant, String session, NodeSettings settings) {
        long salt = RANDOM.nextLong();
        String nonce = HexFormat.of().toHexDigits(RANDOM.nextLong());
        HolderMark mark = HolderMark.of(
                settings.process(),
                nonce,
                salt,
                TimeUnit.SECONDS.toMillis(claim.leaseSeconds()),
                settings.isLong(claim.leaseSeconds()));
        return new Candidate(
                claimant, new Grantee(claim.kind(), claim.limit(), session, mark), nonce, salt, claim.leaseSeconds());
    }

    String session() {
        return grantee.session();
    }
}
