package io.flockgate.client.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProtocolTest {
    @Test
    void onlyAWordIsAnIncarnation() {
        assertThat(incarnation("incarnation=0f-A_z")).isEqualTo("0f-A_z");
        assertThat(incarnation("incarnation=" + "x".repeat(64))).isNotNull();
        assertThat(incarnation("incarnation=" + "x".repeat(65))).isNull();
        assertThat(incarnation("incarnation=a:b")).isNull();
        assertThat(incarnation("incarnation=")).isNull();
        assertThat(incarnation("detached")).isNull();
    }

    private static @Nullable String incarnation(String option) {
        return Protocol.incarnation(List.of("ok", option));
    }
}
