package io.flockgate.testsupport;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Follows the calls within the test classes of a module, and finds the categories of everything
 * reached.
 *
 * <ul>
 *   <li>A call of a method of the test or its superclasses reaches the overriding methods too.
 *   <li>An object with a supertype may be called through it by any class, so its constructor
 *       reaches all its methods.
 * </ul>
 */
final class TestCalls {
    private static final Set<String> PLAIN =
            Set.of(Object.class.getName(), Record.class.getName(), Enum.class.getName());

    private final JavaClasses tests;
    private final Map<JavaCodeUnit, Uses> known = new HashMap<>();

    /** The direct calls of a method: methods of test classes, and fixtures of categories. */
    private record Uses(Set<JavaCodeUnit> units, Set<TestCategory> categories) {}

    TestCalls(JavaClasses tests) {
        this.tests = tests;
    }

    /**
     * The categories of everything that these methods reach. A process that belongs to another
     * category is not a {@code process}.
     *
     * @param test the class that runs, with its superclasses and the classes around it
     */
    Set<TestCategory> categories(Collection<JavaCodeUnit> roots, List<JavaClass> test) {
        Set<TestCategory> found = EnumSet.noneOf(TestCategory.class);
        Set<JavaCodeUnit> seen = new HashSet<>(roots);
        Deque<JavaCodeUnit> next = new ArrayDeque<>(seen);
        while (!next.isEmpty()) {
            JavaCodeUnit unit = next.remove();
            Uses uses = known.computeIfAbsent(unit, this::uses);
            found.addAll(uses.categories());
            Stream.concat(uses.units().stream(), behind(unit, test))
                    .filter(seen::add)
                    .forEach(next::add);
        }
        if (found.size() > 1) {
            found.remove(TestCategory.PROCESS);
        }
        return found;
    }

    private Uses uses(JavaCodeUnit unit) {
        Uses uses = new Uses(new HashSet<>(), EnumSet.noneOf(TestCategory.class));
        Stream.concat(unit.getAccessesFromSelf().stream(), unit.getCodeUnitReferencesFromSelf().stream())
                .forEach(access -> addUse(access, uses));
        return uses;
    }

    private void addUse(JavaAccess<?> access, Uses uses) {
        Stream.of(TestCategory.values()).filter(each -> each.isUsedBy(access)).forEach(uses.categories()::add);
        JavaClass owner = access.getTargetOwner();
        if (tests.contain(owner.getName())) {
            access.getTarget()
                    .resolveMember()
                    .filter(JavaCodeUnit.class::isInstance)
                    .ifPresent(member -> uses.units().add((JavaCodeUnit) member));
            owner.getStaticInitializer().ifPresent(uses.units()::add);
        }
    }

    /** The methods that run with this one although it does not call them. */
    private static Stream<JavaMethod> behind(JavaCodeUnit unit, List<JavaClass> test) {
        JavaClass owner = unit.getOwner();
        if (test.contains(owner)) {
            return test.stream()
                    .filter(each -> each.isAssignableTo(owner.getName()))
                    .flatMap(each -> each.getMethods().stream())
                    .filter(method -> method.getName().equals(unit.getName())
                            && method.getRawParameterTypes().equals(unit.getRawParameterTypes()));
        }
        return unit instanceof JavaConstructor && hasSupertype(owner)
                ? owner.getMethods().stream()
                        .filter(method -> !method.getModifiers().contains(JavaModifier.STATIC)
                                && !method.getModifiers().contains(JavaModifier.PRIVATE))
                : Stream.empty();
    }

    private static boolean hasSupertype(JavaClass owner) {
        return !owner.getRawInterfaces().isEmpty()
                || owner.getRawSuperclass()
                        .filter(each -> !PLAIN.contains(each.getName()))
                        .isPresent();
    }
}
