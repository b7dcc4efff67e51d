package io.flockgate.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RosterSettingsTest {
    @Test
    void printedSettingsNameTheOptionsAndHideWhatTheyAre() {
        Vertx vertx = Vertx.vertx();
        RosterSettings settings = new RosterSettings(
                vertx, InstantSource.system(), "node-1", new OptionValues(Map.of("a-token", "s3cret")));
        assertThat(settings.toString()).contains("a-token").doesNotContain("s3cret");
        vertx.close().onComplete(ignored -> {});
    }
}
