package io.flockgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.function.Predicate;

/**
 * The classes of all released modules, imported once, and the terms in which rules refer to them.
 */
final class Architecture {
    static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages(
                    "io.flockgate.cli",
                    "io.flockgate.client",
                    "io.flockgate.gateway",
                    "io.flockgate.storage",
                    "io.flockgate.roster",
                    "io.flockgate.options",
                    "io.flockgate.file",
                    "io.flockgate.text");

    static final DescribedPredicate<JavaClass> LANGUAGE =
            resideInAnyPackage("java..", "org.jspecify.annotations", "com.google.errorprone.annotations..");

    private Architecture() {}

    /** The class with this name, including its nested classes. */
    static DescribedPredicate<JavaClass> named(String name) {
        return describe(
                "is " + name,
                javaClass ->
                        javaClass.getName().equals(name) || javaClass.getName().startsWith(name + "$"));
    }

    /** These classes depend on those alone. */
    static void onlyKnow(DescribedPredicate<JavaClass> some, DescribedPredicate<JavaClass> known) {
        classes().that(some).should().onlyDependOnClassesThat(known).check(ALL);
    }

    /** These classes depend on none of those. */
    static void doNotKnow(DescribedPredicate<JavaClass> some, DescribedPredicate<JavaClass> unknown) {
        noClasses().that(some).should().dependOnClassesThat(unknown).check(ALL);
    }

    /** These classes access no member of this kind. */
    static void doNotAccess(DescribedPredicate<JavaClass> some, String kind, Predicate<JavaAccess<?>> isOfKind) {
        noClasses()
                .that(some)
                .should(accessTargetWhere(describe(kind, isOfKind)))
                .check(ALL);
    }
}
