package io.flockgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static io.flockgate.architecture.Architecture.doNotKnow;
import static io.flockgate.architecture.Architecture.named;
import static io.flockgate.architecture.Architecture.onlyKnow;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The dependencies that the Java client and its back ends may have. A rule is changed only by an
 * ADR.
 */
class ClientLayersTest {
    private static final String ROOT = "io.flockgate.client";
    private static final DescribedPredicate<JavaClass> LEASES = resideInAnyPackage(ROOT);
    private static final DescribedPredicate<JavaClass> TCP = resideInAnyPackage(ROOT + ".tcp");
    private static final DescribedPredicate<JavaClass> KUBERNETES = resideInAnyPackage(ROOT + ".kubernetes");
    /** The JDK, leases and what all back ends share. */
    private static final DescribedPredicate<JavaClass> SHARED =
            resideInAnyPackage("java..", "javax.net.ssl", "org.jspecify.annotations", ROOT, ROOT + ".support");

    @Test
    void theCoreKnowsNoLibraryAndLeasesKnowNoBackEnd() {
        onlyKnow(LEASES, SHARED);
        onlyKnow(resideInAnyPackage(ROOT + ".support").or(TCP), SHARED.or(TCP));
    }

    @Test
    void backEndsKnowNoOtherBackEnd() {
        doNotKnow(TCP, KUBERNETES);
        doNotKnow(KUBERNETES, TCP);
    }

    @ParameterizedTest
    @ValueSource(strings = {"micrometer", "shedlock", "spring", "tck"})
    void anAdapterKnowsLeasesAndNoOtherAdapter(String adapter) {
        DescribedPredicate<JavaClass> own = resideInAnyPackage(ROOT + "." + adapter + "..");
        // Loaded only if the application has the other adapter.
        DescribedPredicate<JavaClass> optional = named(ROOT + ".spring.boot.FlockgateBeans$ShedLock")
                .or(named(ROOT + ".spring.boot.FlockgateBeans$Meters"));
        doNotKnow(
                own.and(not(optional)),
                resideInAnyPackage("io.flockgate..").and(not(LEASES)).and(not(own)));
    }

    @Test
    void oneClassSendsRequestsOverHttp() {
        doNotKnow(
                resideInAnyPackage(ROOT + "..").and(not(named("io.flockgate.client.kubernetes.LeaseApi"))),
                named("java.net.http.HttpClient"));
    }
}
