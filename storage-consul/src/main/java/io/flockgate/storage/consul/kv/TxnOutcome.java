package io.flockgate.storage.consul.kv;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a transaction. */
public sealed interface TxnOutcome {
    /**
     * Consul has carried out all operations.
     *
     * @param results one entry for each operation that wrote and for each entry that it read, in
     *     the order of the operations; deletions and checks have none, or a meaningless one
     */
    record Committed(List<KvEntry> results) implements TxnOutcome {
        public Committed {
            results = List.copyOf(results);
        }
    }

    /** Consul has carried out nothing, because it could not carry out these operations. */
    record Conflict(List<Obstacle> obstacles) implements TxnOutcome {
        public Conflict {
            obstacles = List.copyOf(obstacles);
        }
    }

    /** Consul has carried out nothing, and never will. */
    record NotDone(ConsulException cause) implements TxnOutcome {}

    /** Consul may have carried out all operations, or may do so later. */
    record Unknown(ConsulException cause) implements TxnOutcome {}

    /**
     * The committed transaction; null after a conflict.
     *
     * @throws ConsulException when the transaction has failed otherwise
     */
    default @Nullable Committed committed() {
        return switch (this) {
            case Committed done -> done;
            case Conflict conflict -> null;
            case NotDone failed -> throw failed.cause();
            case Unknown failed -> throw failed.cause();
        };
    }

    /**
     * The reason why one operation could not be carried out.
     *
     * @param operation the position of the operation in the transaction, from 0 on
     * @param what Consul's text
     */
    record Obstacle(int operation, String what) {
        private static final String NO_SESSION = "invalid session ";

        /**
         * The last session that held the key was ended by force, and its lock delay has not passed.
         */
        public boolean isLockDelay() {
            return what.endsWith(" due to lock delay");
        }

        /** The session that the operation names but that does not exist; null if that is not it. */
        public @Nullable String missingSession() {
            return what.startsWith(NO_SESSION)
                    ? what.substring(NO_SESSION.length()).replace("\"", "")
                    : null;
        }

        /** The token lacks a right. Never part of a {@link Conflict}. */
        boolean isDenied() {
            return what.startsWith("Permission denied") || what.startsWith("ACL not found");
        }

        /** Consul does not know such an operation. Never part of a {@link Conflict}. */
        boolean isMalformed() {
            return what.startsWith("unknown KV verb ")
                    || what.startsWith("Must provide key")
                    || what.startsWith("missing session");
        }
    }
}
