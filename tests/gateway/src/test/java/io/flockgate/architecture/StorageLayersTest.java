package io.flockgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static io.flockgate.architecture.Architecture.ALL;
import static io.flockgate.architecture.Architecture.LANGUAGE;
import static io.flockgate.architecture.Architecture.doNotAccess;
import static io.flockgate.architecture.Architecture.doNotKnow;
import static io.flockgate.architecture.Architecture.named;
import static io.flockgate.architecture.Architecture.onlyKnow;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import io.flockgate.roster.Roster;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.consul.json.JsonException;
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
import org.slf4j.Logger;

/**
 * The dependencies that storages and the rules of keys and rosters may have. A rule is changed only
 * by an ADR.
 */
class StorageLayersTest {
    private static final DescribedPredicate<JavaClass> RULES = resideInAnyPackage("io.flockgate.storage.rules..");
    private static final DescribedPredicate<JavaClass> ROSTER = named(Roster.class.getName());
    private static final DescribedPredicate<JavaClass> CONSUL = resideInAnyPackage("io.flockgate.storage.consul..");
    private static final DescribedPredicate<JavaClass> FORMAT = resideInAnyPackage(
            "io.flockgate.storage.consul.format",
            "io.flockgate.storage.consul.json",
            "io.flockgate.storage.consul.kv",
            "io.flockgate.storage.consul.rules");
    private static final String AMBIENT = "it has its own time, threads or chance";

    @Test
    void theRulesOfAKeyAndOfARosterKnowTheVocabularyOnly() {
        onlyKnow(RULES, LANGUAGE.or(RULES).or(resideInAnyPackage("io.flockgate.storage")));
        onlyKnow(ROSTER, LANGUAGE.or(resideInAnyPackage("io.flockgate.roster")));
    }

    @Test
    void theRulesOfAKeyKnowNoThreads() {
        doNotKnow(RULES, resideInAnyPackage("java.util.concurrent..").or(named("java.lang.Thread")));
    }

    @Test
    void theRulesOfAKeyAndOfARosterGetTheTimeAsAnArgument() {
        doNotAccess(RULES, "it tells the time", StorageLayersTest::tellsTheTime);
        doNotAccess(ROSTER, "it reads the clock", StorageLayersTest::readsTheClock);
    }

    private static boolean tellsTheTime(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return owner.getPackageName().startsWith("java.time")
                || owner.getName().equals("java.util.Date")
                || (owner.isEquivalentTo(System.class)
                        && Set.of("nanoTime", "currentTimeMillis").contains(access.getName()));
    }

    private static boolean readsTheClock(JavaAccess<?> access) {
        return access.getName().equals("now")
                || Set.of("nanoTime", "currentTimeMillis").contains(access.getName());
    }

    @Test
    void aProviderMakesNoLoggerForEveryStartMakesAllProviders() {
        noFields()
                .that()
                .areDeclaredInClassesThat()
                .implement(StorageProvider.class)
                .should()
                .haveRawType(Logger.class)
                .allowEmptyShould(true)
                .check(ALL);
    }

    @Test
    void theConsulStorageKnowsNoEventLoops() {
        doNotKnow(
                CONSUL.and(not(simpleNameEndingWith("Provider"))),
                named(Vertx.class.getName()).or(named(Context.class.getName())));
    }

    @Test
    void twoClassesKnowEcwidsClient() {
        doNotKnow(
                not(named("io.flockgate.storage.consul.api.EcwidTransport")
                        .or(named("io.flockgate.storage.consul.api.EcwidConsulApi"))),
                resideInAnyPackage("com.ecwid.."));
    }

    @Test
    void theFormatInConsulKnowsTheVocabularyAndJsonOnly() {
        onlyKnow(
                FORMAT,
                LANGUAGE.or(FORMAT)
                        .or(resideInAnyPackage(
                                "com.fasterxml.jackson.core..", "io.flockgate.storage", "io.flockgate.text")));
    }

    @Test
    void theFormatInConsulHasNoClocksThreadsAndRequests() {
        // The bytes of a response, which a transport reads from Consul, and of a value.
        DescribedPredicate<JavaClass> bytes = named("java.io.Serializable")
                .or(named("java.io.InputStream"))
                .or(named("java.io.ByteArrayOutputStream"))
                .or(named("java.io.IOException"));
        doNotKnow(
                FORMAT,
                resideInAnyPackage("java.net..", "java.io")
                        .and(not(bytes))
                        .or(named("java.lang.Thread"))
                        .or(named("io.flockgate.storage.consul.api.ConsulApi")));
        doNotAccess(FORMAT, AMBIENT, StorageLayersTest::isAmbient);
    }

    @Test
    void theConsulStorageReadsAndWritesNoValuesItself() {
        doNotKnow(
                CONSUL.and(not(FORMAT)).and(not(named("io.flockgate.storage.consul.FenceMemory"))),
                resideInAnyPackage("com.fasterxml..", "com.google.gson..", "io.vertx.core.json..")
                        .or(resideInAnyPackage("io.flockgate.storage.consul.json")
                                .and(not(named(JsonException.class.getName())))));
    }

    @Test
    void theEnvironmentHasConsulsTimeThreadsAndChance() {
        doNotAccess(
                CONSUL.and(not(resideInAnyPackage("io.flockgate.storage.consul.environment"))),
                AMBIENT,
                StorageLayersTest::isAmbient);
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
}
