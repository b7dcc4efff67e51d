package io.flockgate.storage.consul.key;

/** The parts of one key's actor that decide, and their wiring. */
final class KeyParts {
    final KeyContext context;
    final WaiterGrants waiterGrants;
    final SlotScheduler slots;
    final TicketRides rides;
    final TicketDeletions deletions;
    final TicketQueue tickets;
    final GrantComparison comparison;
    final GrantKeeper keeper;
    final KeyClaims claims;
    final OperatorCalls operator;
    final KeyForgetter forgetter;

    KeyParts(KeyContext context) {
        GrantMaker maker = new GrantMaker(context);
        EndedSlots ended =
                new EndedSlots(context.environment, context.api, context.detector, context.grants, context.settings);
        this.context = context;
        this.waiterGrants = new WaiterGrants(context, maker);
        this.rides = new TicketRides(context);
        SlotHandover handover = new SlotHandover(context, maker, rides, waiterGrants);
        Evictor evictor = new Evictor(context, handover, ended);
        this.slots = new SlotScheduler(context, maker, waiterGrants, evictor);
        this.deletions = new TicketDeletions(context);
        this.tickets = new TicketQueue(context, rides, maker, waiterGrants, handover, deletions);
        this.comparison = new GrantComparison(context, maker, handover);
        this.keeper = new GrantKeeper(context, maker, handover, comparison);
        this.claims = new KeyClaims(context, maker, evictor, tickets);
        this.operator = new OperatorCalls(context, maker, waiterGrants, handover, tickets);
        this.forgetter = new KeyForgetter(context, ended);
    }
}
