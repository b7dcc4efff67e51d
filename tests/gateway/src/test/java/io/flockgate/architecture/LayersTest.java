package io.flockgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static io.flockgate.architecture.Architecture.ALL;
import static io.flockgate.architecture.Architecture.LANGUAGE;
import static io.flockgate.architecture.Architecture.named;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import io.flockgate.cli.SubCommands;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.fleetlock.MaintenanceWindow;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The dependencies that the gateway's packages may have. */
class LayersTest {
    private static final String GATEWAY = "io.flockgate.gateway.";

    /** Each package may use these of the gateway's packages, and no others of the gateway. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limits | log",
                "log | ''",
                "deadlock | eventloop",
                "lifecycle | eventloop log",
                "metrics | eventloop fleetlock limits session",
                "rights | limits log",
                "net | log eventloop limits config",
                "tcp | log eventloop limits net session stats config rights",
                "http | log eventloop limits net stats metrics config rights",
                "rest | log eventloop limits net session stats metrics config rights deadlock http",
                "rest.session | log eventloop limits net session stats metrics config rights deadlock http rest",
                "fleetlock | log",
                "fleetlock.http | log config eventloop http limits rest rights stats fleetlock",
                "page | eventloop http rest"
            })
    void aPackageOfTheGatewayKnowsTheseOthersOnly(String slice, String known) {
        String[] packages = Stream.of(known.split(" "))
                .filter(name -> !name.isEmpty())
                .map(GATEWAY::concat)
                .toArray(String[]::new);
        knowsOfTheGateway(GATEWAY + slice, resideInAnyPackage(packages));
    }

    @Test
    void sessionsKnowStorageAndEventLoopsOnly() {
        onlyKnows(
                "io.flockgate.gateway.session",
                "io.flockgate.gateway.eventloop",
                "io.flockgate.gateway.limits",
                "io.flockgate.storage",
                "io.flockgate.text",
                "io.vertx.core..");
    }

    @Test
    void eventLoopsKnowNothingOfWhatHappensOnThem() {
        onlyKnows("io.flockgate.gateway.eventloop", "io.vertx.core..");
    }

    @Test
    void statisticsKnowStorageAndEventLoopsOnly() {
        onlyKnows(
                "io.flockgate.gateway.stats",
                "io.flockgate.gateway.eventloop",
                "io.flockgate.gateway.limits",
                "io.flockgate.storage",
                "com.fasterxml.jackson.core..",
                "io.vertx.core..");
    }

    private static void onlyKnows(String slice, String... known) {
        classes()
                .that()
                .resideInAPackage(slice)
                .should()
                .onlyDependOnClassesThat(LANGUAGE.or(resideInAnyPackage(slice)).or(resideInAnyPackage(known)))
                .check(ALL);
    }

    @Test
    void onlyTheMetricsKnowTheirLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.flockgate.gateway.metrics", "io.flockgate.client.micrometer")
                .and()
                .doNotHaveFullyQualifiedName("io.flockgate.client.spring.boot.FlockgateBeans$Meters")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.micrometer..", "io.prometheus.."))
                .check(ALL);
    }

    @Test
    void configurationKnowsTheVocabularyOfFleetLockRightsAndCapsOnly() {
        knowsOfTheGateway(
                "io.flockgate.gateway.config",
                resideInAnyPackage("io.flockgate.gateway.rights")
                        .or(named(FleetLockConfig.class.getName()))
                        .or(named(FleetLockGroup.class.getName()))
                        .or(named(MaintenanceWindow.class.getName()))
                        .or(named(Caps.class.getName()))
                        .or(named(Resource.class.getName())));
    }

    @Test
    void optionsFilesAndTextsKnowTheLanguageOnly() {
        onlyKnows("io.flockgate.text");
        onlyKnows("io.flockgate.file");
        onlyKnows("io.flockgate.options", "io.flockgate.text");
    }

    private static void knowsOfTheGateway(String slice, DescribedPredicate<? super JavaClass> known) {
        noClasses()
                .that()
                .resideInAPackage(slice)
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.flockgate.gateway..")
                        .and(resideOutsideOfPackages(slice))
                        .and(DescribedPredicate.not(known)))
                .check(ALL);
    }

    @Test
    void theGatewayKnowsNoStorage() {
        noClasses()
                .that()
                .resideInAPackage("io.flockgate.gateway..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.flockgate.storage.*.."))
                .check(ALL);
    }

    @Test
    void onlyNamedClassesUseTheInsidesOfVertx() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        "io\\.flockgate\\.gateway\\.net\\.(BoundedAccept|Channels|AcceptFilter|TlsFront|RequestDecoder|Wire)(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.vertx..impl..", "io.vertx..internal.."))
                .check(ALL);
    }

    @Test
    void onlySocketsSeeNetty() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        "io\\.flockgate\\.gateway\\.net\\.(BoundedAccept|Channels|AcceptFilter|TlsFront|ServiceManager|RequestDecoder|Wire)(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.netty.."))
                .check(ALL);
    }

    @Test
    void subCommandsKnowTheClientAndNothingOfTheServer() {
        classes()
                .that()
                .resideInAPackage("io.flockgate.cli..")
                .should()
                .onlyDependOnClassesThat(LANGUAGE.or(resideInAnyPackage(
                        "io.flockgate.cli..",
                        "io.flockgate.client",
                        "io.flockgate.client.support",
                        "io.flockgate.options",
                        "io.flockgate.text",
                        "com.fasterxml.jackson.core",
                        "javax..")))
                .check(ALL);
    }

    @Test
    void theServerKnowsOfSubCommandsTheirWordsOnly() {
        noClasses()
                .that()
                .resideInAPackage("io.flockgate.gateway..")
                .and(DescribedPredicate.not(isMain()))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.flockgate.cli..")
                        .and(DescribedPredicate.not(named(SubCommands.class.getName()))))
                .check(ALL);
    }

    @Test
    void onlyTheCommandAndTheLogWriteToTheStandardStreams() {
        noClasses()
                .that(DescribedPredicate.not(isMain()).and(resideOutsideOfPackages("io.flockgate.gateway.log")))
                .should(ACCESS_STANDARD_STREAMS)
                .check(ALL);
    }

    @Test
    void nobodyLogsPastTheLog() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.util.logging.."))
                .check(ALL);
    }

    @Test
    void onlyTheCommandsBlockTheirThread() {
        noClasses()
                .that(DescribedPredicate.not(isMain()
                                // Its loops run on threads of their own.
                                .or(named("io.flockgate.roster.RosterLoop")))
                        .and(resideOutsideOfPackages(
                                "io.flockgate.storage.consul..", "io.flockgate.cli..", "io.flockgate.client..")))
                .should(accessTargetWhere(describe("it blocks", LayersTest::blocks)))
                .check(ALL);
    }

    private static boolean blocks(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        return (owner.isEquivalentTo(Thread.class) && name.equals("sleep"))
                || (owner.isAssignableTo(io.vertx.core.Future.class) && name.equals("await"))
                || (owner.isAssignableTo(java.util.concurrent.Future.class)
                        && Set.of("get", "join").contains(name));
    }

    private static DescribedPredicate<JavaClass> isMain() {
        return named("io.flockgate.gateway.Main");
    }
}
