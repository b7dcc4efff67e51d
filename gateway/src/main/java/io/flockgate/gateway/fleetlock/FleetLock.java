package io.flockgate.gateway.fleetlock;

import io.flockgate.gateway.fleetlock.Answer.AnswerKind;
import io.flockgate.gateway.fleetlock.ClientParams.ParseResult;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.log.Throttle;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster.JoinOutcome.Refused;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Carries out FleetLock's two operations for the configured groups (protocol-docs/fleetlock.md,
 * "Semantics"). Thread safe. Futures complete on any thread and do not fail.
 *
 * <ol>
 *   <li>Read the body: id and group.
 *   <li>Find the group in the configuration.
 *   <li>For a lock, apply the group's configured slots, and its windows at this moment. While an
 *       operator drains the gateway, its groups accept no newcomers. The roster decides and is
 *       stored.
 *   <li>Translate the outcome, or the failure of the storage, into an answer.
 *   <li>Count and log the answer.
 * </ol>
 */
public final class FleetLock {
    /** The two operations of FleetLock. */
    public enum Operation {
        /** The recursive lock: takes a slot for a reboot. */
        PRE_REBOOT("/v1/pre-reboot"),
        /** Unlock if held: releases the slot. */
        STEADY_STATE("/v1/steady-state");

        private final String path;

        Operation(String path) {
            this.path = path;
        }

        /** The path below the root or a prefix. */
        public String path() {
            return path;
        }

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A listener for FleetLock's answers and operators' orders, for metrics. Called on any thread.
     */
    public interface FleetLockEvents {
        /**
         * Replaces the name of a group that is not configured, because clients must not create
         * labels.
         */
        String UNKNOWN_GROUP = "(unknown)";

        /**
         * A request has been answered.
         *
         * @param group a configured group, or {@link #UNKNOWN_GROUP}
         */
        void answered(String group, String operation, String outcome);

        /** An operator has taken back a slot. */
        void forced();
    }

    private static final Logger LOG = LoggerFactory.getLogger(FleetLock.class);

    /** Maximum number of lines in a second for a group: more than a fleet needs. */
    private static final int MAX_CHANGES = 20;

    private static final DateTimeFormatter OPENING =
            DateTimeFormatter.ofPattern("EEE d MMM yyyy HH:mm VV", Locale.ENGLISH);

    private static final Answer DRAINED =
            new Answer(AnswerKind.DRAINING, "an operator drains this server, which gives out no slots; ask again");

    private final RosterStorage rosters;
    private final InstantSource clock;
    private final FleetLockEvents events;
    private final BooleanSupplier draining;
    private final Map<String, FleetLockGroup> groups;
    private final Throttle warnings = new Throttle(1);

    /** A client could otherwise fill the disk with the log. */
    private final Throttle changes = new Throttle(MAX_CHANGES);

    /**
     * Creates the service of the configured groups.
     *
     * @param draining whether an operator drains the gateway
     */
    public FleetLock(
            FleetLockConfig config,
            RosterStorage rosters,
            InstantSource clock,
            FleetLockEvents events,
            BooleanSupplier draining) {
        this.rosters = rosters;
        this.clock = clock;
        this.events = events;
        this.draining = draining;
        this.groups = config.groups().stream().collect(Collectors.toMap(FleetLockGroup::name, Function.identity()));
    }

    /**
     * Carries out a request.
     *
     * @param peer the client's address and port
     * @param groups whether the client may use the group of this name
     */
    public Future<Answer> request(Operation operation, byte[] body, SocketAddress peer, Predicate<String> groups) {
        return switch (ClientParams.read(body)) {
            case ParseResult.Rejected rejected -> {
                countAnswer(operation, FleetLockEvents.UNKNOWN_GROUP, rejected.answer());
                yield Future.succeededFuture(rejected.answer());
            }
            case ParseResult.Parsed parsed -> {
                if (groups.test(parsed.params().group())) {
                    yield carryOut(operation, parsed.params(), peer);
                }
                Answer forbidden = new Answer(AnswerKind.FORBIDDEN, "the token has no right to use this group");
                countAnswer(operation, forbidden);
                yield Future.succeededFuture(forbidden);
            }
        };
    }

    /** Counts an answer to a request that was not carried out. */
    public void countAnswer(Operation operation, Answer answer) {
        countAnswer(operation, FleetLockEvents.UNKNOWN_GROUP, answer);
    }

    private void countAnswer(Operation operation, String group, Answer answer) {
        events.answered(group, operation.label(), answer.kind().text());
    }

    private Future<Answer> carryOut(Operation operation, ClientParams params, SocketAddress peer) {
        FleetLockGroup group = groups.get(params.group());
        if (group == null) {
            Answer unknown = new Answer(AnswerKind.UNKNOWN_GROUP, "this server does not know the group");
            countAnswer(operation, unknown);
            return Future.succeededFuture(unknown);
        }
        Future<Answer> answer = switch (operation) {
            case PRE_REBOOT -> lock(group, params.id(), peer);
            case STEADY_STATE ->
                rosters.leave(group.name(), Departure.of(params.id())).map(FleetLock::answer);
        };
        return answer.otherwise(this::failed).onSuccess(each -> {
            countAnswer(operation, group.name(), each);
            log(params, each, peer);
        });
    }

    private Future<Answer> lock(FleetLockGroup group, String id, SocketAddress peer) {
        Instant now = clock.instant();
        boolean drained = draining.getAsBoolean();
        Terms terms = new Terms(group.slots(), !drained && group.isOpen(now));
        return rosters.join(group.name(), new Newcomer(id, String.valueOf(peer.hostAddress())), terms)
                .map(outcome -> drained && outcome == Refused.CLOSED ? DRAINED : answer(outcome, group, now));
    }

    private static Answer answer(JoinOutcome outcome, FleetLockGroup group, Instant now) {
        return switch (outcome) {
            case Joined ignored -> new Answer(AnswerKind.LOCK_GRANTED, "the slot is yours");
            case AlreadyMember ignored -> new Answer(AnswerKind.LOCK_ALREADY_HELD, "the slot was yours already");
            case Refused refused -> refusal(refused, group, now);
        };
    }

    private static Answer refusal(Refused refused, FleetLockGroup group, Instant now) {
        return switch (refused) {
            case FULL ->
                new Answer(
                        AnswerKind.FAILED_LOCK_SEMAPHORE_FULL,
                        group.slots() == 1
                                ? "semaphore currently full, the only slot is taken"
                                : "semaphore currently full, all " + group.slots() + " slots are taken");
            case PAUSED -> new Answer(AnswerKind.FAILED_LOCK_GROUP_PAUSED, "the group is paused by an operator");
            case CLOSED -> new Answer(AnswerKind.FAILED_LOCK_OUTSIDE_WINDOW, closed(group, now));
        };
    }

    private static String closed(FleetLockGroup group, Instant now) {
        Optional<ZonedDateTime> next = group.nextOpening(now);
        return "outside the group's maintenance windows"
                + next.map(opening -> "; the next one opens " + OPENING.format(opening))
                        .orElse("");
    }

    private static Answer answer(DepartureOutcome outcome) {
        return switch (outcome) {
            case Left ignored -> new Answer(AnswerKind.LOCK_RELEASED, "the slot is free");
            case Unchanged ignored -> new Answer(AnswerKind.LOCK_NOT_HELD, "no slot was yours");
        };
    }

    private Answer failed(Throwable cause) {
        if (!(cause instanceof StorageException failure)) {
            LOG.atError().setCause(cause).log("fleetlock request failed");
            return new Answer(AnswerKind.INTERNAL_ERROR, "the server has failed");
        }
        if (failure.kind() == FailureKind.CLOSED) {
            return new Answer(AnswerKind.SHUTTING_DOWN, "the server is shutting down");
        }
        warnings.warn(LOG, "fleetlock storage failed", failure);
        return new Answer(AnswerKind.BACKEND_UNAVAILABLE, "the server cannot reach its storage; ask again");
    }

    /** Logs an answer, at INFO if it changes which machines may reboot. */
    private void log(ClientParams params, Answer answer, SocketAddress peer) {
        boolean change = answer.kind() == AnswerKind.LOCK_GRANTED || answer.kind() == AnswerKind.LOCK_RELEASED;
        LoggingEventBuilder line = (change ? LOG.atInfo() : LOG.atDebug())
                .addKeyValue("group", params.group())
                .addKeyValue("id", params.id())
                .addKeyValue("peer", peer)
                .addKeyValue("outcome", answer.kind().text());
        if (change) {
            changes.log(params.group(), "fleetlock", () -> line);
        } else {
            line.log("fleetlock");
        }
    }
}
