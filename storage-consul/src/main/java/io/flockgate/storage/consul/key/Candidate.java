package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.Transactions.Grantee;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * A grant that is about to be tried, by whose nonce it can be found in Consul.
 *
 * @param salt the token's random half
 */
record Candidate(Claimant claimant, Grantee grantee, String nonce, long salt, long leaseSeconds) {
    static Candidate of(Claim claim, Claimant claimant, String session, NodeSettings settings, RandomGenerator random) {
        long salt = random.nextLong();
        String nonce = HexFormat.of().toHexDigits(random.nextLong());
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
