package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Cap;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.testsupport.LogLines;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The lines about claims that a cap refuses. */
@ResourceLock("log of Cap")
class ClientLimitsTest {
    private final LogLines lines = new LogLines(Cap.class);
    private final Client client = new Client(
            true, new ClientLimits(new Gate(Map.of(Resource.SLOT, new Caps(0, 1))), new StorageLimits(8, 7, 5)));

    @AfterEach
    void detach() {
        lines.close();
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_LOCKS, refusing new keys flag=--max-locks max=8",
        "MAX_HOLDERS, refusing claims flag=--max-holders max=7",
        "MAX_WAITERS, refusing claims flag=--max-waiters max=5"
    })
    void ofTheStorageNameTheFlagAndTheKeyOnceAMinute(Refusal refusal, String line) {
        for (int i = 0; i < 3; i++) {
            client.storage.claims.ready(refusal);
            client.acquire("ci/ab", 0);
        }
        assertThat(lines.all()).containsExactly("WARN a cap is reached, " + line + " refused=1 key=ci/ab");
    }

    @ParameterizedTest
    @EnumSource(names = {"BUSY", "LIMIT_MISMATCH", "KIND_MISMATCH"})
    void areNotWrittenForOtherRefusals(Refusal refusal) {
        client.storage.claims.ready(refusal);
        client.acquire("k", 0);
        assertThat(lines.all()).isEmpty();
    }

    @Test
    void ofAClientNameTheFlagAndTheClient() {
        for (int i = 0; i < 2; i++) {
            client.storage.claims.ready(new Held(client.storage.grant("pool", Kind.SEMAPHORE)));
            Claim claim = new Claim(Key.of("pool"), Kind.SEMAPHORE, 9, Client.LEASE, false);
            client.session.carryOut(new LockRequest.Acquire(claim, 0), client.answers::add);
        }
        assertThat(client.answers).last().isEqualTo(Outcome.Plain.MAX_HOLDERS_PER_CLIENT);
        assertThat(lines.all())
                .containsExactly("WARN a cap is reached, refusing claims flag=--max-holders-per-client max=1"
                        + " refused=1 peer=null");
    }
}
