package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.TestConventions;
import org.junit.jupiter.api.Test;

class TestConventionsTest {
    @Test
    void testsAreNamedAndTaggedAsAgreed() {
        assertThat(TestConventions.violations(TestConventionsTest.class)).isEmpty();
    }
}
