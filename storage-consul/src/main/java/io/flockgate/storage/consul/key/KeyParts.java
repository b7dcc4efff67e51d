package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.environment.Environment;
import java.util.function.Function;

/**
 * The parts of one key's actor, wired by {@link KeyActorFactory}.
 *
 * @param watches makes the key's watch
 */
record KeyParts(
        Environment environment,
        PendingRead pending,
        KeyStore store,
        LocalWaiters waiters,
        LocalGrants grants,
        SlotScheduler slots,
        TicketRides rides,
        TicketQueue tickets,
        GrantKeeper keeper,
        KeyClaims claims,
        OperatorCalls operator,
        KeyForgetter forgetter,
        Function<OnDemandWatch.ReadListener, OnDemandWatch> watches) {
    OnDemandWatch watch(OnDemandWatch.ReadListener listener) {
        return watches.apply(listener);
    }
}
