package io.flockgate.storage.consul.key;

/** The parts of one key's actor that make decisions, and their wiring. */
final class KeyParts {
    final KeyContext key;
    final WaiterGrants waiterGrants;
    final SlotScheduler slots;
    final TicketDeletions deletions;
    final TicketQueue tickets;
    final GrantComparison comparison;
    final GrantKeeper keeper;
    final KeyClaims claims;
    final OperatorCalls operator;
    final KeyForgetter forgetter;

    KeyParts(KeyContext key) {
        GrantMaker maker = new GrantMaker(key);
        EndedSlots ended = new EndedSlots(key.environment, key.api, key.detector, key.grants, key.settings);
        this.key = key;
        this.waiterGrants = new WaiterGrants(key, maker);
        SlotHandover handover = new SlotHandover(key, maker, waiterGrants);
        Evictor evictor = new Evictor(key, handover, ended);
        this.slots = new SlotScheduler(key, maker, waiterGrants, evictor);
        this.deletions = new TicketDeletions(key);
        this.tickets = new TicketQueue(key, maker, waiterGrants, handover, deletions);
        this.comparison = new GrantComparison(key, maker, handover);
        this.keeper = new GrantKeeper(key, maker, handover, comparison);
        this.claims = new KeyClaims(key, maker, evictor, tickets);
        this.operator = new OperatorCalls(key, maker, waiterGrants, handover, tickets);
        this.forgetter = new KeyForgetter(key, ended);
    }
}
