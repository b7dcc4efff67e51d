package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.LockStorage;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class GatewayCases extends StorageCases {
    private static List<GatewayView> others(LockStorage gateway) {
        return Await.result(gateway.otherGateways());
    }

    @Test
    @DisplayName("has each gateway of the storage but the one that is asked, until it is closed")
    void twoGateways() {
        LockStorage one = storage();
        assertThat(others(one)).isEmpty();
        Optional<LockStorage> other = otherGateway();
        if (other.isEmpty()) {
            assertThat(others(one)).isEmpty();
            return;
        }
        awaitAnother(one);
        awaitAnother(other.get());
        assertThat(others(one)).singleElement().satisfies(GatewayCases::isComplete);
        assertThat(others(other.get())).singleElement().satisfies(GatewayCases::isComplete);

        Await.done(other.get().close());

        assertThat(others(one)).isEmpty();
    }

    /**
     * A gateway is listed soon but not at once, because it serves clients before other gateways
     * know it.
     */
    private void awaitAnother(LockStorage gateway) {
        for (int i = 0; i < Await.SECONDS && others(gateway).isEmpty(); i++) {
            passSeconds(1);
        }
    }

    private static void isComplete(GatewayView gateway) {
        assertThat(gateway.name()).isNotEmpty();
        assertThat(gateway.version()).isNotEmpty();
        assertThat(gateway.sinceSeconds()).isPositive();
    }
}
