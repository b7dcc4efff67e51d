package io.flockgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static io.flockgate.architecture.Architecture.ALL;
import static io.flockgate.architecture.Architecture.LANGUAGE;
import static io.flockgate.architecture.Architecture.doNotAccess;
import static io.flockgate.architecture.Architecture.doNotKnow;
import static io.flockgate.architecture.Architecture.named;
import static io.flockgate.architecture.Architecture.onlyKnow;

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
    private static final DescribedPredicate<JavaClass> ALL_OF_GATEWAY = resideInAnyPackage("io.flockgate.gateway..");
    private static final DescribedPredicate<JavaClass> COMMANDS = resideInAnyPackage("io.flockgate.cli..");
    private static final DescribedPredicate<JavaClass> MAIN = named("io.flockgate.gateway.Main");

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

    /** Each package may use these others, and the language. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        io.flockgate.gateway.session   | io.flockgate.gateway.eventloop io.flockgate.gateway.limits io.flockgate.storage io.flockgate.text io.vertx.core..
        io.flockgate.gateway.eventloop | io.vertx.core..
        io.flockgate.gateway.stats     | io.flockgate.gateway.eventloop io.flockgate.gateway.limits io.flockgate.storage com.fasterxml.jackson.core.. io.vertx.core..
        io.flockgate.text              | io.flockgate.text
        io.flockgate.file              | io.flockgate.file
        io.flockgate.options           | io.flockgate.text
        io.flockgate.cli..             | io.flockgate.client io.flockgate.client.support io.flockgate.options io.flockgate.text com.fasterxml.jackson.core javax..
        """)
    void aPackageKnowsTheseOthersOnly(String slice, String known) {
        onlyKnow(
                resideInAnyPackage(slice),
                LANGUAGE.or(resideInAnyPackage(slice)).or(resideInAnyPackage(known.split(" "))));
    }

    @Test
    void onlyTheMetricsKnowTheirLibrary() {
        doNotKnow(
                not(resideInAnyPackage("io.flockgate.gateway.metrics", "io.flockgate.client.micrometer")
                        .or(named("io.flockgate.client.spring.boot.FlockgateBeans$Meters"))),
                resideInAnyPackage("io.micrometer..", "io.prometheus.."));
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

    private static void knowsOfTheGateway(String slice, DescribedPredicate<JavaClass> known) {
        DescribedPredicate<JavaClass> own = resideInAnyPackage(slice);
        doNotKnow(own, ALL_OF_GATEWAY.and(not(own)).and(not(known)));
    }

    @Test
    void theGatewayKnowsNoStorage() {
        doNotKnow(ALL_OF_GATEWAY, resideInAnyPackage("io.flockgate.storage.*.."));
    }

    /** The classes of package net may use these, and no others may. */
    @ParameterizedTest
    @CsvSource({
        "BoundedAccept Channels AcceptFilter TlsFront RequestDecoder Wire, io.vertx..impl.. io.vertx..internal..",
        "BoundedAccept Channels AcceptFilter TlsFront RequestDecoder Wire ServiceManager, io.netty.."
    })
    void onlyNamedClassesUseNettyAndTheInsidesOfVertx(String classes, String insides) {
        String names = "io\\.flockgate\\.gateway\\.net\\.(" + classes.replace(' ', '|') + ")(\\$.*)?";
        doNotKnow(not(describe(names, each -> each.getName().matches(names))), resideInAnyPackage(insides.split(" ")));
    }

    @Test
    void theServerKnowsOfSubCommandsTheirWordsOnly() {
        doNotKnow(ALL_OF_GATEWAY.and(not(MAIN)), COMMANDS.and(not(named(SubCommands.class.getName()))));
    }

    @Test
    void onlyTheCommandAndTheLogWriteToTheStandardStreams() {
        noClasses()
                .that(not(MAIN.or(resideInAnyPackage("io.flockgate.gateway.log"))))
                .should(ACCESS_STANDARD_STREAMS)
                .check(ALL);
    }

    @Test
    void nobodyLogsPastTheLog() {
        doNotKnow(alwaysTrue(), resideInAnyPackage("java.util.logging.."));
    }

    @Test
    void onlyTheCommandsBlockTheirThread() {
        // The loops of RosterLoop run on threads of their own.
        DescribedPredicate<JavaClass> blocking = MAIN.or(named("io.flockgate.roster.RosterLoop"))
                .or(resideInAnyPackage("io.flockgate.storage.consul..", "io.flockgate.cli..", "io.flockgate.client.."));
        doNotAccess(not(blocking), "it blocks", LayersTest::blocks);
    }

    private static boolean blocks(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        return (owner.isEquivalentTo(Thread.class) && name.equals("sleep"))
                || (owner.isAssignableTo(io.vertx.core.Future.class) && name.equals("await"))
                || (owner.isAssignableTo(java.util.concurrent.Future.class)
                        && Set.of("get", "join").contains(name));
    }
}
