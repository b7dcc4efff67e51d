package io.flockgate.storage.consul.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.Option;
import java.lang.reflect.Field;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OptionTableTest {
    @Test
    void everyDeclaredOptionIsInTheTableOnce() {
        long declared = Arrays.stream(OptionTable.class.getDeclaredFields())
                .map(Field::getType)
                .filter(Option.class::equals)
                .count();
        assertThat(OptionTable.ALL).hasSize((int) declared).doesNotHaveDuplicates();
    }
}
