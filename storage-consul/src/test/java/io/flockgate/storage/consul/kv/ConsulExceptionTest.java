package io.flockgate.storage.consul.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import org.junit.jupiter.api.Test;

class ConsulExceptionTest {
    private static final String RIGHT = "key_prefix \"flockgate/\" { policy = \"write\" }";

    private static ConsulException denied(String message) {
        return new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, message);
    }

    @Test
    void theRightThatIsMissingIsNamed() {
        assertThat(denied("Consul answered 403: Permission denied").withRight(RIGHT))
                .hasMessage("the token needs " + RIGHT + ": Consul answered 403: Permission denied");
    }

    @Test
    void aTokenThatIsUnknownIsReportedAsThat() {
        assertThat(denied("Consul answered 403: ACL not found").withRight(RIGHT))
                .hasMessageStartingWith("ACL not found: ")
                .hasMessageContaining("--consul-token")
                .hasMessageNotContaining("needs");
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        ConsulException outage = new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "no answer");
        assertThat(outage.withRight(RIGHT)).isSameAs(outage);
    }
}
