package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class FloodsFirstTest {
    @Test
    void floodsBeginFirstWhateverTheOrderOfTheRequest() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(
                        selectClass("io.flockgate.gateway.server.AuthTest"),
                        selectClass(BytesFloodTest.class),
                        selectClass("io.flockgate.gateway.server.FuzzTest"),
                        selectClass(ResourceFloodTest.class))
                .build();
        TestPlan plan = LauncherFactory.create().discover(request);

        List<String> classes = plan.getRoots().stream()
                .flatMap(root -> plan.getChildren(root).stream())
                .map(TestIdentifier::getDisplayName)
                .toList();
        assertThat(classes).containsExactly("BytesFloodTest", "ResourceFloodTest", "AuthTest", "FuzzTest");
    }
}
