package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.RenewOutcome;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@link LockStorage#incarnation}; a storage that makes no statement passes. */
abstract class IncarnationCases extends StorageCases {
    @Test
    @DisplayName("is a word that stays the same, also when grants are made and ended")
    void staysTheSame() {
        Optional<String> incarnation = storage().incarnation();

        assertThat(incarnation.orElse("not-said")).matches("[0-9A-Za-z_-]{1,64}");
        release(hold(TestClaims.lock(KEY)));
        assertThat(storage().incarnation()).isEqualTo(incarnation);
    }

    @Test
    @DisplayName("is that of every gateway on the same store")
    void everyGateway() {
        assertThat(peer().incarnation()).isEqualTo(storage().incarnation());
    }

    @Test
    @DisplayName("is another one in a store that does not have the grants")
    void anotherStore() {
        LockStorage before = storage();
        HeldGrant held = hold(TestClaims.lock(KEY));

        LockStorage after = open(Limits.AMPLE);

        assertThat(tryRenew(held, TestClaims.LASTING)).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(after.incarnation())
                .matches(id -> id.isEmpty() || !id.equals(before.incarnation()), "empty or another id");
    }
}
