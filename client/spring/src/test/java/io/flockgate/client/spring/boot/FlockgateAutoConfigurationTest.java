package io.flockgate.client.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.micrometer.LeaseMetrics;
import io.flockgate.client.shedlock.FlockgateLockProvider;
import io.flockgate.client.spring.FlockgateLockRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** The beans of an application. Nothing connects. */
@Timeout(60)
final class FlockgateAutoConfigurationTest {
    private static final String SERVERS = "flockgate.servers=flockgate://one,flockgate://two:7000";

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(FlockgateAutoConfiguration.class));

    @ParameterizedTest
    @ValueSource(strings = {"unrelated=1", "flockgate.servers="})
    void anApplicationWithoutServersGetsNothing(String property) {
        application
                .withPropertyValues(property)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LeaseProvider.class)
                        .doesNotHaveBean(LockRegistry.class)
                        .doesNotHaveBean(HealthIndicator.class));
    }

    /** As a text, and as a list of YAML. */
    @ParameterizedTest
    @ValueSource(strings = {SERVERS, "flockgate.servers[0]=flockgate://one flockgate.servers[1]=flockgate://two:7000"})
    void serversGiveLeasesLocksAndHealth(String properties) {
        application.withPropertyValues(properties.split(" ", -1)).run(context -> {
            assertThat(context)
                    .hasSingleBean(LeaseProvider.class)
                    .hasSingleBean(FlockgateLockRegistry.class)
                    .hasSingleBean(LockProvider.class)
                    .hasSingleBean(FlockgateLockProvider.class)
                    .hasSingleBean(FlockgateHealthIndicator.class);
            assertThat(context.getBean(FlockgateProperties.class).servers()).hasSize(2);
        });
    }

    /** The classes that an application lacks, and the beans that it then does not get. */
    static Stream<Arguments> missing() {
        List<String> shedLock = List.of("flockgateLockProvider");
        List<String> locks = List.of("flockgateLockRegistry");
        List<String> metrics = List.of("flockgateLeaseMetrics");
        return Stream.of(
                Arguments.of(List.of(LockProvider.class), shedLock),
                Arguments.of(List.of(FlockgateLockProvider.class), shedLock),
                Arguments.of(List.of(LockRegistry.class, DistributedLock.class), locks),
                // Spring Integration 6.5 has registries of locks, but not this type of lock.
                Arguments.of(List.of(DistributedLock.class), locks),
                Arguments.of(List.of(HealthIndicator.class), List.of("flockgateHealthIndicator")),
                Arguments.of(List.of(MeterRegistry.class), metrics),
                Arguments.of(List.of(LeaseMetrics.class), metrics));
    }

    @ParameterizedTest
    @MethodSource("missing")
    void anApplicationMayLackWhatIsOptional(List<Class<?>> types, List<String> beans) {
        application
                .withPropertyValues(SERVERS)
                .withClassLoader(new FilteredClassLoader(types.toArray(Class<?>[]::new)))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(LeaseProvider.class);
                    assertThat(beans).noneMatch(context::containsBean);
                });
    }

    @Test
    void anOwnProviderOfShedLockComesFirst() {
        LockProvider own = configuration -> Optional.empty();
        application
                .withPropertyValues(SERVERS)
                .withBean("mine", LockProvider.class, () -> own)
                .run(context -> assertThat(context.getBean(LockProvider.class)).isSameAs(own));
    }

    @Test
    void ownBeansComeFirst() {
        LeaseProvider leases = Flockgate.inMemory();
        LockRegistry<?> locks = new DefaultLockRegistry();
        application
                .withPropertyValues(SERVERS)
                .withBean("mine", LeaseProvider.class, () -> leases)
                .withBean("locks", LockRegistry.class, () -> locks)
                .run(context -> {
                    assertThat(context.getBean(LeaseProvider.class)).isSameAs(leases);
                    assertThat(context.getBean(LockRegistry.class)).isSameAs(locks);
                    assertThat(context).hasSingleBean(FlockgateHealthIndicator.class);
                });
    }

    @Test
    void anOwnProviderNeedsNoServers() {
        application
                .withBean(LeaseProvider.class, Flockgate::inMemory)
                .run(context -> assertThat(context).hasSingleBean(FlockgateLockRegistry.class));
    }

    @Test
    void leasesAndLocksAreCountedInTheRegistry() {
        application
                .withPropertyValues("flockgate.servers=test://server")
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBean(LeaseMetrics.class).bindTo(registry);
                    context.getBean(LeaseProvider.class)
                            .runExclusiveWithoutResult(LeaseOptions.of("counted"), Duration.ZERO, grant -> {});
                    SimpleLock unused = context.getBean(LockProvider.class)
                            .lock(new LockConfiguration(
                                    Instant.now(), "counted-lock", Duration.ofMinutes(1), Duration.ZERO))
                            .orElseThrow();

                    assertThat(count(registry, "counted")).isEqualTo(1);
                    assertThat(count(registry, "counted-lock")).isEqualTo(1);
                    assertThat(registry.get("flockgate.client.lease.held")
                                    .tag("name", "counted-lock")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                });
    }

    private static long count(MeterRegistry registry, String name) {
        return registry.get("flockgate.client.lease.acquire")
                .tags("name", name, "outcome", "granted")
                .timer()
                .count();
    }

    @Test
    void theHealthCheckCanBeSwitchedOff() {
        application
                .withPropertyValues(SERVERS, "management.health.flockgate.enabled=false")
                .run(context ->
                        assertThat(context).hasSingleBean(LeaseProvider.class).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void locksHaveThePrefixOfTheProperties() {
        application
                .withPropertyValues(SERVERS, "flockgate.lock.prefix=app/", "flockgate.lock.ttl=1m")
                .run(context -> assertThat(context.getBean(FlockgateLockRegistry.class)
                                .obtain("job")
                                .name())
                        .isEqualTo("app/job"));
    }

    @Test
    void aWrongAddressFailsTheStartWithoutShowingItsPassword() {
        application
                .withPropertyValues("flockgate.servers=flockgate://user:hidden@host")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LeaseConfigException.class)
                        .hasMessageNotContaining("hidden"));
    }

    @Test
    void theTokenIsNotInTheTextOfTheProperties() {
        application
                .withPropertyValues(SERVERS, "flockgate.auth-token=s3cret-token")
                .run(context -> {
                    FlockgateProperties properties = context.getBean(FlockgateProperties.class);
                    assertThat(properties.authToken()).isEqualTo("s3cret-token");
                    assertThat(properties.toString()).doesNotContain("s3cret");
                });
    }

    @Test
    void springBootFindsTheConfiguration() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .contains(FlockgateAutoConfiguration.class.getName());
    }

    @Test
    void theMetadataNamesAllProperties() throws Exception {
        String metadata = Files.readString(Path.of("src/main/resources/META-INF/spring-configuration-metadata.json"));
        String properties = metadata.substring(metadata.indexOf("\"properties\""));
        List<String> named = Pattern.compile("\"name\": \"(flockgate\\.[^\"]+)\"")
                .matcher(properties)
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                names("flockgate.", FlockgateProperties.class).filter(name -> !name.endsWith(".lock")),
                                names("flockgate.lock.", FlockgateProperties.Lock.class))
                        .toList());
    }

    private static Stream<String> names(String prefix, Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> prefix
                        + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT));
    }
}
