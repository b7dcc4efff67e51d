package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StorageSettingsTest {
    @Test
    void printedSettingsNameTheOptionsAndHideWhatTheyAre() {
        Vertx vertx = Vertx.vertx();
        Duration second = Duration.ofSeconds(1);
        StorageSettings settings = new StorageSettings(
                vertx,
                System::nanoTime,
                new GatewayView("node-1", "1.2.3", 0, ""),
                new StorageLimits(1, 0, 0),
                new Upkeep(second, second, second),
                Optional.empty(),
                new OptionValues(Map.of("a-token", "s3cret")));
        assertThat(settings.toString()).contains("a-token").doesNotContain("s3cret");
        vertx.close().onComplete(ignored -> {});
    }
}
