package io.flockgate.gateway.tcp;

import java.util.Arrays;

/**
 * The next step of a connection. The phases of requests exist once, because they change too often
 * to be allocated each time.
 */
sealed interface Phase {
    /** The command to which the next reply belongs. */
    Command command();

    /** Whether a request may wait for a slot, up to the timeout that its client has set. */
    default boolean mayWait() {
        return false;
    }

    /** The first frame must carry the token. */
    record Authenticating() implements Phase {
        static final Authenticating INSTANCE = new Authenticating();

        @Override
        public Command command() {
            return Command.AUTH;
        }
    }

    /** Frames are carried out as they come. */
    record Ready() implements Phase {
        static final Ready INSTANCE = new Ready();

        @Override
        public Command command() {
            return Command.INVALID;
        }
    }

    /**
     * A request is being carried out by the loop over the frames, which continues with its reply.
     */
    record CarryingOut(Command command, boolean mayWait, Waiting unanswered) implements Phase {
        private static final CarryingOut[] SHORT = all(false);
        private static final CarryingOut[] MAY_WAIT = all(true);

        @SuppressWarnings("EnumOrdinal") // a table, in memory only
        static CarryingOut of(Command command, boolean mayWait) {
            return (mayWait ? MAY_WAIT : SHORT)[command.ordinal()];
        }

        private static CarryingOut[] all(boolean mayWait) {
            return Arrays.stream(Command.values())
                    .map(each -> new CarryingOut(each, mayWait, new Waiting(each, mayWait)))
                    .toArray(CarryingOut[]::new);
        }
    }

    /** A request was not answered at once. The frames after it wait for its reply. */
    record Waiting(Command command, boolean mayWait) implements Phase {}

    /**
     * The last reply has been written. The connection closes when the reply has left, or a little
     * later. Input is discarded.
     */
    record Ending(Command command) implements Phase {}

    record Closed(Command command) implements Phase {}
}
