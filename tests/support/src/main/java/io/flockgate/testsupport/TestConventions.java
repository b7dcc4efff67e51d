package io.flockgate.testsupport;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collection;
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
 *   <li>From each test method, and from everything that runs before, after and around it, follow
 *       all calls within the module's test classes and fixtures.
 *   <li>Find the categories of the fixtures that are reached. A process that belongs to no other
 *       category is a {@code process}.
 *   <li>The test must have these tags and no other tag of a category. jqwik reads only its own
 *       annotation.
 * </ol>
 *
 * <p>Calls of product code are not followed, because a command that runs inside the JVM of its test
 * needs no tag; {@link TestCategory} lists the classes that start a process. Neither are extensions
 * registered as a service, meta-annotations, or actions of another module's contract other than
 * calls to the methods of its subclass.
 */
public final class TestConventions {
    private static final String JUPITER = "org.junit.jupiter.api.";
    private static final String PARAMS = "org.junit.jupiter.params.";
    private static final String JQWIK = "net.jqwik.api.";
    private static final Set<String> JQWIK_TESTS = Set.of(JQWIK + "Example", JQWIK + "Property");
    private static final Set<String> TESTS = Set.of(
            JUPITER + "Test",
            JUPITER + "RepeatedTest",
            JUPITER + "TestFactory",
            JUPITER + "TestTemplate",
            PARAMS + "ParameterizedTest",
            JQWIK + "Example",
            JQWIK + "Property");
    private static final Set<String> AROUND = Set.of(
            JUPITER + "BeforeAll",
            JUPITER + "BeforeEach",
            JUPITER + "AfterAll",
            JUPITER + "AfterEach",
            JQWIK + "Provide",
            JQWIK + "lifecycle.BeforeContainer",
            JQWIK + "lifecycle.BeforeProperty",
            JQWIK + "lifecycle.BeforeTry",
            JQWIK + "lifecycle.AfterTry",
            JQWIK + "lifecycle.AfterProperty",
            JQWIK + "lifecycle.AfterContainer");

    /** The classes that Surefire runs, and those that profiles name. */
    private static final Pattern RUN_BY_MAVEN = Pattern.compile("Test.*|.*(Tests?|TestCase|Scene)");

    private final JavaClasses tests;
    private final TestCalls calls;
    private final Set<String> lines = new TreeSet<>();

    private TestConventions(JavaClasses tests) {
        this.tests = tests;
        this.calls = new TestCalls(tests);
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
                    .forEach(method -> lines.add(name(each, method) + " is not in camel case"));
            if (!each.isInterface() && !each.getModifiers().contains(JavaModifier.ABSTRACT)) {
                check(each);
            }
        }
        return List.copyOf(lines);
    }

    private void check(JavaClass test) {
        List<JavaClass> hierarchy = hierarchy(test);
        List<JavaCodeUnit> own =
                hierarchy.stream().flatMap(TestConventions::testsOf).toList();
        List<JavaCodeUnit> around = around(test);
        if (isContract(test)) {
            test.getMethods().stream().filter(method -> !own.contains(method)).forEach(around::add);
            check(test.getSimpleName(), tags(test, JUPITER), around, hierarchy);
        }
        // A nested subclass of a contract is for a separate launcher.
        if ((!own.isEmpty() || (isContract(test) && test.isTopLevelClass())) && !isRun(test)) {
            lines.add(test.getSimpleName() + " has tests that Maven does not run");
        }
        for (JavaCodeUnit method : own) {
            String api = has(method, JQWIK_TESTS) ? JQWIK : JUPITER;
            Set<String> tags = tags(test, api);
            addTags(method, api, tags);
            List<JavaCodeUnit> roots = new ArrayList<>(around);
            roots.add(method);
            roots.addAll(sources(method, hierarchy));
            roots.addAll(extensions(method));
            check(name(test, method), tags, roots, hierarchy);
        }
    }

    private void check(String name, Set<String> tags, Collection<JavaCodeUnit> roots, List<JavaClass> hierarchy) {
        Set<String> needed = new TreeSet<>();
        calls.categories(roots, hierarchy).forEach(category -> needed.add(category.tag()));
        if (!needed.equals(tags)) {
            lines.add(name + " needs the tags " + needed + " and has " + tags);
        }
    }

    private static String name(JavaClass test, JavaCodeUnit method) {
        return test.getSimpleName() + "." + method.getName();
    }

    private static Stream<JavaCodeUnit> testsOf(JavaClass owner) {
        return owner.getMethods().stream().filter(method -> has(method, TESTS)).map(JavaCodeUnit.class::cast);
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

    /**
     * The code that runs around each test of the class: initialisers, methods before and after, and
     * extensions.
     */
    private List<JavaCodeUnit> around(JavaClass test) {
        List<JavaCodeUnit> units = new ArrayList<>();
        for (JavaClass owner : hierarchy(test)) {
            owner.getConstructors().forEach(units::add);
            owner.getStaticInitializer().ifPresent(units::add);
            owner.getMethods().stream().filter(method -> has(method, AROUND)).forEach(units::add);
            units.addAll(extensions(owner));
        }
        test.getEnclosingClass().ifPresent(outer -> units.addAll(around(outer)));
        return units;
    }

    private static boolean has(JavaCodeUnit method, Set<String> annotations) {
        return annotations.stream().anyMatch(method::isAnnotatedWith);
    }

    /** The code of the classes that {@code @ExtendWith} and {@code @ArgumentsSource} name. */
    private static List<JavaCodeUnit> extensions(HasAnnotations<?> annotated) {
        return annotations(annotated, JUPITER + "extension.ExtendWith", PARAMS + "provider.ArgumentsSource")
                .map(annotation -> annotation.get("value").orElseThrow())
                .flatMap(value -> value instanceof Object[] several ? Stream.of(several) : Stream.of(value))
                .map(JavaClass.class::cast)
                .<JavaCodeUnit>flatMap(each -> each.getCodeUnits().stream())
                .toList();
    }

    /** The methods that {@code @MethodSource} names. */
    private List<JavaCodeUnit> sources(JavaCodeUnit method, List<JavaClass> hierarchy) {
        return annotations(method, PARAMS + "provider.MethodSource")
                .flatMap(annotation -> names(annotation, method))
                .flatMap(name -> source(name.split("#", 2), hierarchy))
                .toList();
    }

    private static Stream<String> names(JavaAnnotation<?> annotation, JavaCodeUnit method) {
        Object[] names = (Object[]) annotation.get("value").orElse(new Object[0]);
        return names.length == 0
                ? Stream.of(method.getName())
                : Stream.of(names).map(Object::toString);
    }

    private Stream<JavaCodeUnit> source(String[] name, List<JavaClass> hierarchy) {
        Stream<JavaClass> owners = name.length == 1
                ? hierarchy.stream()
                : tests.stream().filter(each -> each.getName().equals(name[0]));
        return owners.<JavaCodeUnit>flatMap(owner -> owner.getMethods().stream())
                .filter(each -> each.getName().equals(name[name.length - 1]));
    }

    private Set<String> tags(JavaClass test, String api) {
        Set<String> tags = new TreeSet<>();
        for (JavaClass owner : hierarchy(test)) {
            addTags(owner, api, tags);
        }
        test.getEnclosingClass().ifPresent(outer -> tags.addAll(tags(outer, api)));
        return tags;
    }

    /** Adds only the tags of categories. */
    private static void addTags(HasAnnotations<?> tagged, String api, Set<String> tags) {
        annotations(tagged, api + "Tag")
                .map(annotation -> (String) annotation.get("value").orElseThrow())
                .filter(name -> Stream.of(TestCategory.values())
                        .anyMatch(each -> each.tag().equals(name)))
                .forEach(tags::add);
    }

    /**
     * The annotations of these types, including those gathered in the container of a repeatable
     * one.
     */
    private static Stream<JavaAnnotation<?>> annotations(HasAnnotations<?> annotated, String... types) {
        return annotated.getAnnotations().stream()
                .<JavaAnnotation<?>>flatMap(
                        annotation -> annotation.get("value").orElse(null) instanceof JavaAnnotation<?>[] gathered
                                ? Stream.of(gathered)
                                : Stream.of(annotation))
                .filter(annotation ->
                        Stream.of(types).anyMatch(annotation.getRawType().getName()::equals));
    }
}
