package io.flockgate.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.flockgate.architecture.Architecture.ALL;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The limits on cycles: none of packages, none of more than four classes. Modules cannot form
 * cycles, so each cycle is within one. A nested class counts as its owner.
 */
class CyclesTest {
    private static final int MAX_CLASSES = 4;

    /** The rules of a key are one data structure. Nothing else may be listed here. */
    private static final Map<String, Integer> MAX_CLASSES_OF_PACKAGE = Map.of("io.flockgate.storage.rules", 6);

    @Test
    void packagesFormNoCycle() {
        slices().matching("io.flockgate.(**)").should().beFreeOfCycles().check(ALL);
    }

    @Test
    void classesFormNoLargeCycle() {
        assertThat(cycles(classes()))
                .hasSizeGreaterThan(1)
                .allSatisfy(cycle -> assertThat(cycle).hasSizeLessThanOrEqualTo(limit(cycle)));
    }

    private static int limit(Set<String> cycle) {
        Set<String> packages = cycle.stream()
                .map(name -> name.substring(0, name.lastIndexOf('.')))
                .collect(toCollection(TreeSet::new));
        return packages.size() > 1
                ? MAX_CLASSES
                : MAX_CLASSES_OF_PACKAGE.getOrDefault(packages.iterator().next(), MAX_CLASSES);
    }

    @Test
    void cyclesAreFound() {
        Map<String, Set<String>> graph = Map.of(
                "a", Set.of("b"),
                "b", Set.of("c", "d"),
                "c", Set.of("a"),
                "d", Set.of("e"),
                "e", Set.of("d", "f"),
                "f", Set.of());
        assertThat(cycles(graph)).containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("d", "e"));
    }

    /** The classes that each top-level class depends on. */
    private static Map<String, Set<String>> classes() {
        return ALL.stream().collect(toMap(CyclesTest::owner, CyclesTest::dependencies, CyclesTest::union));
    }

    private static Set<String> dependencies(JavaClass javaClass) {
        return javaClass.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType)
                .filter(CyclesTest::contains)
                .map(CyclesTest::owner)
                .collect(toCollection(HashSet::new));
    }

    private static boolean contains(JavaClass javaClass) {
        return ALL.contain(javaClass.getName());
    }

    private static String owner(JavaClass javaClass) {
        return javaClass.getName().split("\\$", 2)[0];
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        one.addAll(other);
        return one;
    }

    /** The strongly connected components of more than one node. */
    private static Set<Set<String>> cycles(Map<String, Set<String>> graph) {
        Map<String, Set<String>> reached =
                graph.keySet().stream().collect(toMap(node -> node, node -> reached(graph, node)));
        Set<Set<String>> cycles = new HashSet<>();
        reached.forEach((node, others) -> {
            Set<String> cycle = new TreeSet<>(Set.of(node));
            others.stream()
                    .filter(other -> reached.getOrDefault(other, Set.of()).contains(node))
                    .forEach(cycle::add);
            if (cycle.size() > 1) {
                cycles.add(cycle);
            }
        });
        return cycles;
    }

    private static Set<String> reached(Map<String, Set<String>> graph, String from) {
        Set<String> seen = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(Set.of(from));
        while (!next.isEmpty()) {
            graph.getOrDefault(next.remove(), Set.of()).stream()
                    .filter(seen::add)
                    .forEach(next::add);
        }
        return seen;
    }
}
