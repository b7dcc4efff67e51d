package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Consul agent. A call blocks its thread until the answer arrives or its time limit passes, so it
 * must not run on an event loop. After a call that failed with an unknown effect, Consul may still
 * carry out the request much later. Thread safe.
 */
public interface ConsulApi extends AutoCloseable {
    /**
     * The maximum size of an answer in bytes: 128 MiB, with a heap of less than 341 MiB three
     * eighths of the heap. An answer is parsed as it arrives, and takes about its size in the heap.
     */
    int MAX_ANSWER_BYTES = (int) Math.min(128L << 20, Runtime.getRuntime().maxMemory() * 3 / 8);

    /** The consistency of a read. */
    enum Consistency {
        /** The state in the leader's memory, which is enough before a conditional write. */
        DEFAULT,
        /** A state confirmed by a majority, for decisions that no conditional write checks. */
        CONSISTENT
    }

    /**
     * Reads all entries whose keys begin with the prefix.
     *
     * @throws ConsulException when there is no answer in time, or when Consul leaves out entries
     *     that the token may not read
     */
    KvList list(String prefix, Consistency consistency);

    /**
     * Reads as {@link #list} does, once the index of the prefix is above the given one or the wait
     * has ended. An interrupt of a virtual thread ends the call with an exception at once, and
     * stays set.
     *
     * @param index at least 1
     * @param wait whole seconds, at least 1; Consul adds up to a sixteenth
     * @throws ConsulException as for {@link #list}
     */
    KvList watch(String prefix, long index, Duration wait);

    /** Carries out all operations or none. It never throws: a failure is an outcome. */
    TxnOutcome txn(List<KvOp> operations);

    /**
     * Creates a session without a check or a lock delay, and returns its id. When it ends, its keys
     * stay with their values. After a failure with an unknown effect, a session may
     * exist that is never renewed and ends by itself.
     *
     * @throws ConsulException when there is no session, or possibly none
     */
    String createSession(String name, Duration ttl);

    /**
     * Renews a session. Returns false when it does not exist.
     *
     * @throws ConsulException when there is no answer in time
     */
    boolean renewSession(String id);

    /**
     * The node that a session belongs to; null when there is no such session.
     *
     * @throws ConsulException when there is no answer in time
     */
    @Nullable
    String sessionNode(String id);

    /**
     * The index at which a node was registered in the catalog; 0 when it is not registered, or the
     * token may not read it.
     *
     * @throws ConsulException when there is no answer in time
     */
    long nodeIndex(String node);

    /**
     * Ends a session, if it exists. The keys that it held stay, without a session.
     *
     * @throws ConsulException when the session may still exist
     */
    void destroySession(String id);

    /**
     * Sets the listener for connections that the agent refuses because there are too many. It may
     * be called on any thread.
     */
    default void onRefusal(Runnable listener) {}

    /** Aborts all calls and closes all connections. Later calls fail. */
    @Override
    void close();
}
