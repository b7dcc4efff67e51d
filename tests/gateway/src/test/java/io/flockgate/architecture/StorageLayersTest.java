package io.flockgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static io.flockgate.architecture.Architecture.ALL;
import static io.flockgate.architecture.Architecture.LANGUAGE;
import static io.flockgate.architecture.Architecture.named;

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
    private static final String RULES = "io.flockgate.storage.rules..";
    private static final String CONSUL = "io.flockgate.storage.consul..";
    private static final String[] FORMAT = {
        "io.flockgate.storage.consul.format",
        "io.flockgate.storage.consul.json",
        "io.flockgate.storage.consul.kv",
        "io.flockgate.storage.consul.rules"
    };

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
                .should(accessTargetWhere(describe("it tells the time", StorageLayersTest::tellsTheTime)))
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
    void theRulesOfARosterKnowTheVocabularyOnly() {
        classes()
                .that(named(Roster.class.getName()))
                .should()
                .onlyDependOnClassesThat(LANGUAGE.or(resideInAnyPackage("io.flockgate.roster")))
                .check(ALL);
    }

    @Test
    void theRulesOfARosterGetTheTimeAsAnArgument() {
        noClasses()
                .that(named(Roster.class.getName()))
                .should(accessTargetWhere(describe("it tells the time", StorageLayersTest::readsTheClock)))
                .check(ALL);
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
    void twoClassesKnowEcwidsClient() {
        noClasses()
                .that(DescribedPredicate.not(named("io.flockgate.storage.consul.api.EcwidTransport")
                        .or(named("io.flockgate.storage.consul.api.EcwidConsulApi"))))
                .should()
                .dependOnClassesThat(resideInAnyPackage("com.ecwid.."))
                .check(ALL);
    }

    @Test
    void theFormatInConsulKnowsTheVocabularyAndJsonOnly() {
        classes()
                .that()
                .resideInAnyPackage(FORMAT)
                .should()
                .onlyDependOnClassesThat(LANGUAGE.or(resideInAnyPackage(
                                "com.fasterxml.jackson.core..", "io.flockgate.storage", "io.flockgate.text"))
                        .or(resideInAnyPackage(FORMAT)))
                .check(ALL);
    }

    @Test
    void theFormatInConsulHasNoClocksThreadsAndRequests() {
        noClasses()
                .that()
                .resideInAnyPackage(FORMAT)
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.io")
                        .and(DescribedPredicate.not(named("java.io.Serializable")))
                        // The bytes of a response, which a transport reads from Consul, and of a value.
                        .and(DescribedPredicate.not(named("java.io.InputStream")))
                        .and(DescribedPredicate.not(named("java.io.ByteArrayOutputStream")))
                        .and(DescribedPredicate.not(named("java.io.IOException")))
                        .or(named("java.lang.Thread"))
                        .or(named("io.flockgate.storage.consul.api.ConsulApi")))
                .orShould(accessTargetWhere(
                        describe("it has its own time, threads or chance", StorageLayersTest::isAmbient)))
                .check(ALL);
    }

    @Test
    void theConsulStorageReadsAndWritesNoValuesItself() {
        noClasses()
                .that()
                .resideInAPackage(CONSUL)
                .and(resideOutsideOfPackages(FORMAT))
                .and(DescribedPredicate.not(named("io.flockgate.storage.consul.FenceMemory")))
                .should()
                .dependOnClassesThat(resideInAnyPackage("com.fasterxml..", "com.google.gson..", "io.vertx.core.json..")
                        .or(resideInAnyPackage("io.flockgate.storage.consul.json")
                                .and(DescribedPredicate.not(named(JsonException.class.getName())))))
                .check(ALL);
    }

    @Test
    void theEnvironmentHasConsulsTimeThreadsAndChance() {
        noClasses()
                .that()
                .resideInAPackage(CONSUL)
                .and(resideOutsideOfPackage("io.flockgate.storage.consul.environment"))
                .should(accessTargetWhere(
                        describe("it has its own time, threads or chance", StorageLayersTest::isAmbient)))
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
}
