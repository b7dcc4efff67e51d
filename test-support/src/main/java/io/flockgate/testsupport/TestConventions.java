package io.flockgate.testsupport;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Checks that the tests of a module have names in camel case, and the tags of their categories: {@code process}, {@code consul},
 * {@code browser} and {@code flood}. {@code mvn -Pquick} leaves tagged tests out.
 *
 * <ol>
 *   <li>From each test method, and from what runs before and after it, follow all calls within the module's test classes.
 *   <li>Find the categories of the fixtures that are reached. A process that belongs to no other category is a {@code process}.
 *   <li>The test must have these tags and no other tag of a category.
 * </ol>
 *
 * <p>Calls of product code are not followed: a command that runs inside the JVM of its test needs no tag.
 */
public final class TestConventions {
    private static final String JUPITER = "org.junit.jupiter.api.";
    private static final Set<String> TESTS = Set.of(
            JUPITER + "Test",
            JUPITER + "RepeatedTest",
            JUPITER + "TestFactory",
            "org.junit.jupiter.params.ParameterizedTest",
            "net.jqwik.api.Example",
            "net.jqwik.api.Property");
    private static final Set<String> AROUND =
            Set.of(JUPITER + "BeforeAll", JUPITER + "BeforeEach", JUPITER + "AfterAll", JUPITER + "AfterEach");
    private static final String OURS = "io.flockgate.";

    private enum Category {
        FLOOD,
        BROWSER,
        CONSUL,
        PROCESS;

        private String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        private boolean has(JavaClass fixture) {
            return switch (this) {
                case FLOOD -> isAny(fixture, "gateway.server.flood.FloodedGateway");
                case BROWSER -> isAny(fixture, "testsupport.Chromium");
                case CONSUL -> isAny(fixture, "consul.testbed.ConsulAgent", "consul.testbed.ConsulCluster");
                case PROCESS ->
                    isAny(fixture, "testsupport.GatewayLauncher", "testsupport.FetchScript")
                            || fixture.isEquivalentTo(ProcessBuilder.class);
            };
        }

        private static boolean isAny(JavaClass fixture, String... names) {
            return Stream.of(names).map(OURS::concat).anyMatch(fixture.getName()::equals);
        }
    }

    private final JavaClasses tests;
    private final Map<JavaCodeUnit, Uses> known = new HashMap<>();

    /** What a method calls itself: methods of test classes, and fixtures of categories. */
    private record Uses(Set<JavaCodeUnit> units, Set<Category> categories) {}

    private TestConventions(JavaClasses tests) {
        this.tests = tests;
    }

    /**
     * The violations, a line for each.
     *
     * @param test any test class of the module
     */
    public static List<String> violations(Class<?> test) {
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new TestConventions(new ClassFileImporter()
                            .importUrl(
                                    test.getProtectionDomain().getCodeSource().getLocation()))
                    .lines();
        });
    }

    private List<String> lines() {
        Set<String> lines = new TreeSet<>();
        for (JavaClass each : tests) {
            if (!each.isInterface() && !each.getModifiers().contains(JavaModifier.ABSTRACT)) {
                check(each, lines);
            }
        }
        return List.copyOf(lines);
    }

    private void check(JavaClass test, Set<String> lines) {
        List<JavaCodeUnit> around = around(test);
        if (isContract(test)) {
            around.addAll(test.getMethods());
            check(test.getSimpleName(), tags(test), around, lines);
            return;
        }
        for (JavaClass owner : hierarchy(test)) {
            for (JavaCodeUnit method : owner.getMethods()) {
                if (has(method, TESTS)) {
                    List<JavaCodeUnit> roots = new ArrayList<>(around);
                    roots.add(method);
                    String name = test.getSimpleName() + "." + method.getName();
                    if (method.getName().contains("_")) {
                        lines.add(name + " is not in camel case");
                    }
                    Set<String> tags = tags(test);
                    addTags(method, tags);
                    check(name, tags, roots, lines);
                }
            }
        }
    }

    private void check(String name, Set<String> tags, Collection<JavaCodeUnit> roots, Set<String> lines) {
        Set<String> needed = new TreeSet<>();
        reached(roots).forEach(category -> needed.add(category.tag()));
        if (!needed.equals(tags)) {
            lines.add(name + " needs the tags " + needed + " and has " + tags);
        }
    }

    /** True for a test class whose test methods are another module's. */
    private boolean isContract(JavaClass test) {
        return test.getAllRawSuperclasses().stream()
                .anyMatch(each -> each.getName().startsWith(OURS) && !tests.contain(each.getName()));
    }

    /** The class with its superclasses and the classes around them, in this module. */
    private List<JavaClass> hierarchy(JavaClass test) {
        List<JavaClass> found = new ArrayList<>(List.of(test));
        test.getAllRawSuperclasses().stream()
                .filter(each -> tests.contain(each.getName()))
                .forEach(found::add);
        return found;
    }

    /** What runs around each test of the class: initialisers, methods before and after, extensions. */
    private List<JavaCodeUnit> around(JavaClass test) {
        List<JavaCodeUnit> units = new ArrayList<>();
        for (JavaClass owner : hierarchy(test)) {
            owner.getConstructors().forEach(units::add);
            owner.getStaticInitializer().ifPresent(units::add);
            owner.getMethods().stream().filter(method -> has(method, AROUND)).forEach(units::add);
            for (JavaField field : owner.getFields()) {
                if (field.isAnnotatedWith(JUPITER + "extension.RegisterExtension")) {
                    units.addAll(field.getRawType().getCodeUnits());
                }
            }
        }
        test.getEnclosingClass().ifPresent(outer -> units.addAll(around(outer)));
        return units;
    }

    private static boolean has(JavaCodeUnit method, Set<String> annotations) {
        return annotations.stream().anyMatch(method::isAnnotatedWith);
    }

    private Set<Category> reached(Collection<JavaCodeUnit> roots) {
        Set<Category> found = EnumSet.noneOf(Category.class);
        Set<JavaCodeUnit> seen = new HashSet<>(roots);
        Deque<JavaCodeUnit> next = new ArrayDeque<>(seen);
        while (!next.isEmpty()) {
            Uses uses = known.computeIfAbsent(next.remove(), this::uses);
            found.addAll(uses.categories());
            uses.units().stream().filter(seen::add).forEach(next::add);
        }
        if (found.size() > 1) {
            found.remove(Category.PROCESS);
        }
        return found;
    }

    private Uses uses(JavaCodeUnit unit) {
        Uses uses = new Uses(new HashSet<>(), EnumSet.noneOf(Category.class));
        Stream.concat(unit.getAccessesFromSelf().stream(), unit.getCodeUnitReferencesFromSelf().stream())
                .forEach(access -> addUse(access, uses));
        return uses;
    }

    private void addUse(JavaAccess<?> access, Uses uses) {
        JavaClass owner = access.getTargetOwner();
        Stream.of(Category.values()).filter(each -> each.has(owner)).forEach(uses.categories()::add);
        if (tests.contain(owner.getName())) {
            access.getTarget()
                    .resolveMember()
                    .filter(JavaCodeUnit.class::isInstance)
                    .ifPresent(member -> uses.units().add((JavaCodeUnit) member));
            owner.getStaticInitializer().ifPresent(uses.units()::add);
        }
    }

    private Set<String> tags(JavaClass test) {
        Set<String> tags = new TreeSet<>();
        for (JavaClass owner : hierarchy(test)) {
            addTags(owner, tags);
        }
        test.getEnclosingClass().ifPresent(outer -> tags.addAll(tags(outer)));
        return tags;
    }

    /** Adds the tags of categories only. */
    private static void addTags(HasAnnotations<?> tagged, Set<String> tags) {
        for (JavaAnnotation<?> annotation : tagged.getAnnotations()) {
            switch (annotation.getRawType().getName()) {
                case JUPITER + "Tag" -> addTag(annotation, tags);
                case JUPITER + "Tags" -> {
                    for (JavaAnnotation<?> each :
                            (JavaAnnotation<?>[]) annotation.get("value").orElseThrow()) {
                        addTag(each, tags);
                    }
                }
                default -> {}
            }
        }
    }

    private static void addTag(JavaAnnotation<?> tag, Set<String> tags) {
        String name = (String) tag.get("value").orElseThrow();
        if (Stream.of(Category.values()).anyMatch(each -> each.tag().equals(name))) {
            tags.add(name);
        }
    }
}
