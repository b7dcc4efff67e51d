package io.flockgate.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionValuesTest {
    @Test
    void printedValuesAreNamedAndHidden() {
        assertThat(new OptionValues(Map.of("a-token", "s3cret"))).hasToString("[a-token]");
    }
}
