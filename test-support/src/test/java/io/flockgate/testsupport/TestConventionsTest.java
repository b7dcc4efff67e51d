package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestConventionsTest {
    @Test
    void testsAreNamedAndTaggedAsAgreed() {
        assertThat(TestConventions.violations(TestConventionsTest.class)).isEmpty();
    }
}
