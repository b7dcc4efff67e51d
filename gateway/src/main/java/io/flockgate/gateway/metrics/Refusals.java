package io.flockgate.gateway.metrics;

import io.flockgate.gateway.session.ClientRefusal;
import io.flockgate.storage.Refusal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Counts refusals by reason. Only known reasons have labels, so that no client can invent one.
 * Thread safe.
 */
final class Refusals {
    private static final String NAME = "flockgate.refused";
    private static final String DESCRIPTION = "Claims, requests, sessions and connections refused.";
    private static final String OTHER = "other";
    private static final List<String> HTTP_REASONS = List.of(
            "other_host",
            "cross_site",
            "rate_limited",
            "unauthorized",
            "forbidden",
            "overloaded",
            "log_full",
            "draining");

    private final MeterRegistry registry;
    private final Map<Enum<?>, Counter> claims = new HashMap<>();
    private final Map<String, Counter> requests = new HashMap<>();
    private final Counter others;

    Refusals(MeterRegistry registry) {
        this.registry = registry;
        addClaims(Refusal.values());
        addClaims(ClientRefusal.values());
        for (String reason : HTTP_REASONS) {
            requests.put(reason, counter(reason));
        }
        others = counter(OTHER);
    }

    private void addClaims(Enum<?>... refusals) {
        for (Enum<?> refusal : refusals) {
            claims.put(refusal, counter(refusal.name().toLowerCase(Locale.ROOT)));
        }
    }

    private Counter counter(String reason) {
        return Counter.builder(NAME)
                .description(DESCRIPTION)
                .tag("reason", reason)
                .register(registry);
    }

    /** A {@link Refusal} or a {@link ClientRefusal}. */
    void claim(Enum<?> refusal) {
        Objects.requireNonNull(claims.get(refusal)).increment();
    }

    void request(String reason) {
        requests.getOrDefault(reason, others).increment();
    }

    /** Registers a count that is kept elsewhere. */
    void register(String reason, LongSupplier count) {
        FunctionCounter.builder(NAME, count, LongSupplier::getAsLong)
                .description(DESCRIPTION)
                .tag("reason", reason)
                .register(registry);
    }
}
