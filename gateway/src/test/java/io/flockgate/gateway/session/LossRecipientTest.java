package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LossRecipientTest {
    /** A hash map compares what has one hash by its order, which must agree with equality. */
    @Test
    void itsOrderAgreesWithEquality() {
        List<LossRecipient> all = List.of(
                new LossRecipient("", "Aa"),
                new LossRecipient("", "BB"),
                new LossRecipient("token", "Aa"),
                new LossRecipient("token", "BB"));
        for (LossRecipient a : all) {
            for (LossRecipient b : all) {
                assertThat(a.compareTo(b) == 0).isEqualTo(a.equals(b));
                assertThat(Integer.signum(a.compareTo(b))).isEqualTo(-Integer.signum(b.compareTo(a)));
            }
        }
    }
}
