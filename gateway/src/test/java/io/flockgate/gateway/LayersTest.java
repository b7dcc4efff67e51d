package io.flockgate.gateway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.gateway.fleetlock.MaintenanceWindow;
import io.flockgate.roster.Roster;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Which part may know which. A rule is changed by an ADR only. */
class LayersTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(
                    "io.flockgate.gateway",
                    "io.flockgate.storage",
                    "io.flockgate.roster",
                    "io.flockgate.options",
                    "io.flockgate.text");

    private static final String RULES = "io.flockgate.storage.rules..";
    private static final String CONSUL = "io.flockgate.storage.consul..";
    private static final String CONSUL_ROSTERS = "io.flockgate.storage.consul.roster";
    private static final String[] ANNOTATIONS = {"org.jspecify.annotations", "com.google.errorprone.annotations.."};
    private static final DescribedPredicate<JavaClass> LANGUAGE =
            resideInAnyPackage("java..").or(resideInAnyPackage(ANNOTATIONS));

    @Test
    void theRulesOfAKeyKnowTheVocabularyOnly() {
        classes()
                .that()
                .resideInAPackage(RULES)
                .should()
                .onlyDependOnClassesThat(LANGUAGE.or(resideInAnyPackage("io.flockgate.storage", RULES)))
                .check(ALL);
    }

    @Test
    void theRulesOfAKeyKnowNoThreads() {
        noClasses()
                .that()
                .resideInAPackage(RULES)
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.util.concurrent..").or(named("java.lang.Thread")))
                .check(ALL);
    }

    @Test
    void theRulesOfAKeyGetTheTimeAsAnArgument() {
        noClasses()
                .that()
                .resideInAPackage(RULES)
                .should(accessTargetWhere(describe("it tells the time", LayersTest::tellsTheTime)))
                .check(ALL);
    }

    private static boolean tellsTheTime(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return owner.getPackageName().startsWith("java.time")
                || owner.getName().equals("java.util.Date")
                || (owner.isEquivalentTo(System.class)
                        && Set.of("nanoTime", "currentTimeMillis").contains(access.getName()));
    }

    @Test
    void sessionsKnowStorageAndEventLoopsOnly() {
        onlyKnows(
                "io.flockgate.gateway.session",
                "io.flockgate.gateway.eventloop",
                "io.flockgate.storage",
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
    void theLineProtocolKnowsNoOtherProtocol() {
        knowsOfTheGateway(
                "io.flockgate.gateway.tcp",
                resideInAnyPackage(
                        "io.flockgate.gateway.log",
                        "io.flockgate.gateway.eventloop",
                        "io.flockgate.gateway.net",
                        "io.flockgate.gateway.session",
                        "io.flockgate.gateway.stats",
                        "io.flockgate.gateway.config"));
    }

    @Test
    void listeningKnowsEventLoopsAndSettingsAndNoProtocol() {
        knowsOfTheGateway(
                "io.flockgate.gateway.net",
                resideInAnyPackage("io.flockgate.gateway.eventloop", "io.flockgate.gateway.config"));
    }

    @Test
    void metricsKnowSessionsAndStorageOnly() {
        knowsOfTheGateway("io.flockgate.gateway.metrics", resideInAnyPackage("io.flockgate.gateway.session"));
    }

    @Test
    void onlyTheMetricsKnowTheirLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.flockgate.gateway.metrics")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.micrometer..", "io.prometheus.."))
                .check(ALL);
    }

    @Test
    void configurationKnowsTheVocabularyOfFleetLockOnly() {
        knowsOfTheGateway(
                "io.flockgate.gateway.config",
                named(FleetLockConfig.class.getName())
                        .or(named(FleetLockGroup.class.getName()))
                        .or(named(MaintenanceWindow.class.getName())));
    }

    @Test
    void optionsAndTextsKnowTheLanguageOnly() {
        onlyKnows("io.flockgate.text");
        onlyKnows("io.flockgate.options", "io.flockgate.text");
    }

    @Test
    void theLogKnowsNothingOfWhatIsLogged() {
        knowsOfTheGateway("io.flockgate.gateway.log", DescribedPredicate.alwaysFalse());
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
    void theGatewayKnowsTheContractAndNoStorage() {
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
                .haveNameNotMatching("io\\.flockgate\\.gateway\\.net\\.(Tls|Channels|Wire)(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.vertx..impl..", "io.vertx..internal.."))
                .check(ALL);
    }

    @Test
    void nettyIsSeenOnlyWhereBytesAreDecoded() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        "io\\.flockgate\\.gateway\\.net\\.(Tls|Channels|Wire|StrictRequestDecoder)(\\$.*)?")
                .and()
                .haveNameNotMatching(
                        "io\\.flockgate\\.gateway\\.http\\.(HttpConnection|RequestHead|BodyBuffer|MessagesAhead)(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.netty.."))
                .check(ALL);
    }

    @Test
    void theRestApiKnowsNoOtherProtocol() {
        knowsOfTheGateway(
                "io.flockgate.gateway.http",
                resideInAnyPackage(
                        "io.flockgate.gateway.log",
                        "io.flockgate.gateway.eventloop",
                        "io.flockgate.gateway.net",
                        "io.flockgate.gateway.session",
                        "io.flockgate.gateway.stats",
                        "io.flockgate.gateway.metrics",
                        "io.flockgate.gateway.fleetlock",
                        "io.flockgate.gateway.config"));
    }

    @Test
    void fleetLockKnowsNoConfigurationAndNoOtherProtocol() {
        knowsOfTheGateway("io.flockgate.gateway.fleetlock", resideInAnyPackage("io.flockgate.gateway.log"));
    }

    @Test
    void theRulesOfARosterKnowTheVocabularyOnly() {
        classes()
                .that(named(Roster.class.getName()))
                .should()
                .onlyDependOnClassesThat(LANGUAGE.or(resideInAnyPackage("io.flockgate.roster")))
                .check(ALL);
    }

    @Test
    void theRulesOfARosterAreToldTheTime() {
        noClasses()
                .that(named(Roster.class.getName()))
                .should(accessTargetWhere(describe("it tells the time", LayersTest::readsTheClock)))
                .check(ALL);
    }

    private static boolean readsTheClock(JavaAccess<?> access) {
        return access.getName().equals("now")
                || Set.of("nanoTime", "currentTimeMillis").contains(access.getName());
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
    void onlyTheCommandsWaitForAnythingForNothingMayBlockAnEventLoop() {
        noClasses()
                .that(DescribedPredicate.not(isMain().or(named(Rehearsal.class.getName())))
                        .and(resideOutsideOfPackages(CONSUL)))
                .should(accessTargetWhere(describe("it blocks", LayersTest::blocks)))
                .check(ALL);
    }

    @Test
    void theConsulStorageBlocksThreadsOfItsOwnAndKnowsNoEventLoops() {
        noClasses()
                .that()
                .resideInAPackage(CONSUL)
                .and()
                .haveSimpleNameNotEndingWith("Provider")
                .should()
                .dependOnClassesThat(named(Vertx.class.getName()).or(named(Context.class.getName())))
                .check(ALL);
    }

    @Test
    void oneClassTalksToAgentsSoThatAnotherClientCanTakeItsPlace() {
        noClasses()
                .that(DescribedPredicate.not(named("io.flockgate.storage.consul.api.EcwidConsulApi")))
                .should()
                .dependOnClassesThat(resideInAnyPackage("com.ecwid.."))
                .check(ALL);
    }

    @Test
    void theLayoutInConsulKnowsNoClocksThreadsOrRequests() {
        noClasses()
                .that()
                .resideInAPackage("io.flockgate.storage.consul.layout")
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.util.concurrent..", "java.time..", "org.apache.http..")
                        .or(named("java.lang.Thread"))
                        .or(named("io.flockgate.storage.consul.api.ConsulApi")))
                .check(ALL);
    }

    @Test
    void theConsulStorageHasTimeThreadsAndChanceFromItsEnvironment() {
        noClasses()
                .that()
                .resideInAPackage(CONSUL)
                .and(resideOutsideOfPackages("io.flockgate.storage.consul.environment", CONSUL_ROSTERS))
                .should(accessTargetWhere(describe("it has its own time, threads or chance", LayersTest::isAmbient)))
                .check(ALL);
    }

    private static boolean isAmbient(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        boolean thread = owner.isAssignableTo(Thread.class)
                && Set.of("sleep", "ofVirtual", "ofPlatform", "startVirtualThread", "<init>")
                        .contains(name);
        boolean executor = owner.isEquivalentTo(Executors.class)
                || (owner.isAssignableTo(Executor.class)
                        && owner.getPackageName().startsWith("java."))
                || (owner.isEquivalentTo(CompletableFuture.class) && name.endsWith("Async"));
        boolean random = owner.isAssignableTo(Random.class)
                || Set.of("random", "randomUUID").contains(name);
        boolean clock = readsTheClock(access) && owner.getPackageName().startsWith("java.");
        return clock
                || thread
                || executor
                || (random && owner.getPackageName().startsWith("java."))
                || owner.isEquivalentTo(Timer.class)
                || owner.isEquivalentTo(LockSupport.class);
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
        return named(Main.class.getName());
    }

    /** The class of this name, with what is nested in it. */
    private static DescribedPredicate<JavaClass> named(String name) {
        return describe(
                "is " + name,
                javaClass ->
                        javaClass.getName().equals(name) || javaClass.getName().startsWith(name + "$"));
    }
}
