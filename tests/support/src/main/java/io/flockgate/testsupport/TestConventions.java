package io.flockgate.testsupport;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks that the tests of a module have names in camel case, are run by Maven, and have the tags
 * of their categories: {@code process}, {@code consul}, {@code browser} and {@code flood}. {@code
 * mvn -Pquick} leaves tagged tests out.
 *
 * <ol>
 *   <li>From each top-level test class, with the classes inside it, follow all dependencies on test
 *       classes and fixtures of the module.
 *   <li>Find the categories of all classes that these use. A process that belongs to another
 *       category is not a {@code process}.
 *   <li>The test class, its superclasses and its methods must have these tags and no other tag of a
 *       category.
 * </ol>
 *
 * <p>Product code is not followed, because a command that runs inside the JVM of its test needs no
 * tag; {@link TestCategory} lists the classes that start a process.
 */
public final class TestConventions {
    private static final String JUPITER = "org.junit.jupiter.api.";
    private static final Set<String> TESTS = Set.of(
            JUPITER + "Test",
            JUPITER + "RepeatedTest",
            JUPITER + "TestFactory",
            JUPITER + "TestTemplate",
            "org.junit.jupiter.params.ParameterizedTest",
            "net.jqwik.api.Example",
            "net.jqwik.api.Property");

    /** The classes that Surefire runs, and those that profiles name. */
    private static final Pattern RUN_BY_MAVEN = Pattern.compile("Test.*|.*(Tests?|TestCase|Scene)");

    private final JavaClasses tests;
    private final Set<String> lines = new TreeSet<>();

    private TestConventions(JavaClasses tests) {
        this.tests = tests;
    }

    /**
     * The violations, one line each.
     *
     * @param test any test class of the module
     * @param fixtures a class of each other module with fixtures that the tests use
     */
    public static List<String> violations(Class<?> test, Class<?>... fixtures) {
        return violations(
                classes(test), Stream.of(fixtures).map(TestConventions::classes).toArray(URL[]::new));
    }

    /** The directory or jar that contains a class. */
    private static URL classes(Class<?> one) {
        String file = one.getName().replace('.', '/') + ".class";
        String found = Objects.requireNonNull(one.getResource("/" + file)).toString();
        try {
            return URI.create(found.substring(0, found.length() - file.length()))
                    .toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /**
     * @param classes a directory or a jar
     */
    static List<String> violations(URL classes, URL... fixtures) {
        List<URL> all = new ArrayList<>(List.of(fixtures));
        all.add(classes);
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new TestConventions(new ClassFileImporter().importUrls(all)).lines(classes);
        });
    }

    private List<String> lines(URL classes) {
        if (tests.stream().noneMatch(each -> testsOf(each).findAny().isPresent())) {
            lines.add("no test in " + classes);
        }
        for (JavaClass each : tests) {
            testsOf(each)
                    .filter(method -> method.getName().contains("_"))
                    .forEach(method ->
                            lines.add(each.getSimpleName() + "." + method.getName() + " is not in camel case"));
            if (!each.isInterface() && !each.getModifiers().contains(JavaModifier.ABSTRACT)) {
                check(each);
            }
        }
        return List.copyOf(lines);
    }

    private void check(JavaClass test) {
        if (hasTests(test) && !isRun(test)) {
            lines.add(test.getSimpleName() + " has tests that Maven does not run");
        }
        List<JavaClass> own =
                tests.stream().filter(each -> outermost(each).equals(test)).toList();
        if (own.stream().anyMatch(this::hasTests)) {
            checkTags(test, own);
        }
    }

    /** A nested subclass of a contract is for a separate launcher. */
    private boolean hasTests(JavaClass test) {
        return (test.isTopLevelClass() && isContract(test))
                || hierarchy(test).stream()
                        .anyMatch(each -> testsOf(each).findAny().isPresent());
    }

    private void checkTags(JavaClass test, List<JavaClass> own) {
        Set<TestCategory> needed = EnumSet.noneOf(TestCategory.class);
        reached(own).stream()
                .flatMap(TestConventions::used)
                .flatMap(TestCategory::of)
                .forEach(needed::add);
        Set<TestCategory> tags = EnumSet.noneOf(TestCategory.class);
        own.stream().flatMap(each -> hierarchy(each).stream()).forEach(each -> {
            tags.addAll(tags(each));
            testsOf(each).forEach(method -> tags.addAll(tags(method)));
        });
        if (needed.size() > 1) {
            needed.remove(TestCategory.PROCESS);
            tags.remove(TestCategory.PROCESS);
        }
        if (!needed.equals(tags)) {
            lines.add(test.getSimpleName() + " needs the tags " + needed + " and has " + tags);
        }
    }

    private Set<JavaClass> reached(Collection<JavaClass> roots) {
        Set<JavaClass> reached = new HashSet<>(roots);
        Deque<JavaClass> next = new ArrayDeque<>(reached);
        while (!next.isEmpty()) {
            used(next.remove())
                    .filter(each -> tests.contain(each.getName()))
                    .filter(reached::add)
                    .forEach(next::add);
        }
        return reached;
    }

    private static Stream<JavaClass> used(JavaClass user) {
        return user.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType);
    }

    private static JavaClass outermost(JavaClass inner) {
        return inner.getEnclosingClass().map(TestConventions::outermost).orElse(inner);
    }

    private static Stream<JavaMethod> testsOf(JavaClass owner) {
        return owner.getMethods().stream().filter(method -> TESTS.stream().anyMatch(method::isAnnotatedWith));
    }

    /**
     * True for a class whose test methods come from another module's contract, as its name shows.
     */
    private boolean isContract(JavaClass test) {
        return test.getAllRawSuperclasses().stream()
                .anyMatch(each -> each.getSimpleName().endsWith("Contract") && !tests.contain(each.getName()));
    }

    private static boolean isRun(JavaClass test) {
        return test.isAnnotatedWith(JUPITER + "Nested")
                || (test.isTopLevelClass()
                        && RUN_BY_MAVEN.matcher(test.getSimpleName()).matches());
    }

    /** The class with its superclasses, in this module. */
    private List<JavaClass> hierarchy(JavaClass test) {
        List<JavaClass> found = new ArrayList<>(List.of(test));
        test.getAllRawSuperclasses().stream()
                .filter(each -> tests.contain(each.getName()))
                .forEach(found::add);
        return found;
    }

    /** Only the tags of categories, including those in the container of a repeated one. */
    private static List<TestCategory> tags(HasAnnotations<?> tagged) {
        return tagged.getAnnotations().stream()
                .<JavaAnnotation<?>>flatMap(
                        annotation -> annotation.get("value").orElse(null) instanceof JavaAnnotation<?>[] gathered
                                ? Stream.of(gathered)
                                : Stream.of(annotation))
                .filter(annotation -> annotation.getRawType().getName().equals(JUPITER + "Tag"))
                .map(annotation -> (String) annotation.get("value").orElseThrow())
                .flatMap(name -> Stream.of(TestCategory.values())
                        .filter(category -> category.tag().equals(name)))
                .toList();
    }
}
