package io.flockgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class HttpDateTest {
    private Instant now = Instant.parse("1994-11-06T08:49:37.999Z");
    private final HttpLoop.HttpDate date = new HttpLoop.HttpDate(() -> now.toEpochMilli());

    @Test
    void theDateGoesOnWithTheSecond() {
        assertThat(date.text()).hasToString("Sun, 06 Nov 1994 08:49:37 GMT");
        assertThat(date.text()).isSameAs(date.text());
        now = now.plusMillis(1);
        assertThat(date.text()).hasToString("Sun, 06 Nov 1994 08:49:38 GMT");
        now = Instant.parse("2028-02-29T23:59:59Z");
        assertThat(date.text()).hasToString("Tue, 29 Feb 2028 23:59:59 GMT");
    }
}
