package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.AnswerSize;

/** The parts that all keys of this gateway share. Thread safe. */
final class SharedParts {
    final GatewayContext gateway;
    final KeyCount keyCount;
    final KeyIndex keyIndex;
    final ReadBudget readBudget;
    final LocalIndex localIndex = new LocalIndex();
    final FailureDetector detector;
    final WatchBudget budget;
    final ReadPace pace = new ReadPace();
    final TicketNames names;
    final HolderCount holderCount;
    final UndeliveredNonces undelivered = new UndeliveredNonces();

    SharedParts(GatewayContext gateway) {
        GatewaySettings settings = gateway.settings();
        this.gateway = gateway;
        this.keyCount =
                new KeyCount(gateway.api(), gateway.paths(), settings.limits().maxLocks(), gateway.environment());
        this.keyIndex = new KeyIndex(gateway.paths(), gateway.environment(), keyCount);
        this.readBudget = new ReadBudget(gateway.environment(), ReadBudget.of(AnswerSize.MAX));
        this.detector = new FailureDetector(gateway.environment());
        this.budget = new WatchBudget(gateway.environment(), settings.watches());
        this.names = new TicketNames(settings.process());
        this.holderCount = new HolderCount(settings.limits().maxHolders());
    }
}
