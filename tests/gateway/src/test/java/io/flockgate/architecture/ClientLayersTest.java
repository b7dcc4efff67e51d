package io.flockgate.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.flockgate.architecture.Architecture.ALL;
import static io.flockgate.architecture.Architecture.named;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;

/**
 * The dependencies that the Java client and its back ends may have. A rule is changed only by an
 * ADR.
 */
class ClientLayersTest {
    private static final String ROOT = "io.flockgate.client";
    private static final String[] CORE = {ROOT, "io.flockgate.client.support", "io.flockgate.client.tcp"};
    private static final DescribedPredicate<JavaClass> JDK =
            resideInAnyPackage("java..", "javax.net.ssl", "org.jspecify.annotations");

    @Test
    void theCoreKnowsNoLibraryAndNoFurtherBackEnd() {
        classes()
                .that()
                .resideInAnyPackage(CORE)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(CORE)))
                .check(ALL);
    }

    @Test
    void leasesKnowNoBackEnd() {
        classes()
                .that()
                .resideInAPackage(ROOT)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(ROOT, "io.flockgate.client.support")))
                .check(ALL);
    }

    @Test
    void backEndsKnowNoOtherBackEnd() {
        String[] backEnds = {"tcp", "kubernetes"};
        for (String one : backEnds) {
            for (String other : backEnds) {
                if (!one.equals(other)) {
                    noClasses()
                            .that()
                            .resideInAPackage(ROOT + "." + one)
                            .should()
                            .dependOnClassesThat(resideInAnyPackage(ROOT + "." + other))
                            .check(ALL);
                }
            }
        }
    }

    @Test
    void adaptersKnowLeasesAndNoOtherAdapter() {
        for (String adapter : new String[] {"micrometer", "shedlock", "spring", "tck"}) {
            String own = ROOT + "." + adapter + "..";
            classes()
                    .that()
                    .resideInAPackage(own)
                    // Loaded only if the application has the other adapter.
                    .and()
                    .doNotHaveFullyQualifiedName(ROOT + ".spring.boot.FlockgateBeans$ShedLock")
                    .and()
                    .doNotHaveFullyQualifiedName(ROOT + ".spring.boot.FlockgateBeans$Meters")
                    .should()
                    .onlyDependOnClassesThat(
                            resideOutsideOfPackage("io.flockgate..").or(resideInAnyPackage(ROOT, own)))
                    .check(ALL);
        }
    }

    @Test
    void oneClassSendsRequestsOverHttp() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + "..")
                .and(DescribedPredicate.not(named("io.flockgate.client.kubernetes.LeaseApi")))
                .should()
                .dependOnClassesThat(named("java.net.http.HttpClient"))
                .check(ALL);
    }
}
