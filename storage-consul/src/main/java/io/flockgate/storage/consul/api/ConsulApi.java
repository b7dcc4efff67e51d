package io.flockgate.storage.consul.api;

import java.time.Duration;
import java.util.List;

/**
 * One Consul agent. Every call blocks its thread, which must not be an event loop, until the answer is there or its time is
 * up; all are safe from any thread. What was sent may still be carried out long after a call has failed as unknown.
 */
public interface ConsulApi extends AutoCloseable {
    /**
     * Every entry whose key begins with the prefix; none if there are none. As with the next two, what Consul says to have
     * shortened for want of a right is a failure.
     *
     * @throws ConsulException when there is no answer, or not in time
     */
    KvList list(String prefix, Consistency consistency);

    /**
     * The same, but answers only when the index of the prefix is above the one given, or when the wait is over. An interrupt
     * ends it with an exception at once and stays set.
     *
     * @param index from 1 on
     * @param wait whole seconds, from 1 on; Consul adds up to a sixteenth
     * @throws ConsulException when there is no answer, or not in time
     */
    KvList watch(String prefix, long index, Duration wait);

    /**
     * The names below the prefix, each cut after the first separator that follows the prefix, each once.
     *
     * @throws ConsulException when there is no answer, or not in time
     */
    List<String> names(String prefix, String separator);

    /** Carries out all operations or none. Never throws: whatever happens is sorted into an outcome. */
    TxnOutcome txn(List<KvOp> operations);

    /**
     * The new session's id. After an unknown failure there may be a session that nobody renews; it ends by itself.
     *
     * @throws ConsulException when there is none
     */
    String createSession(SessionSpec spec);

    /**
     * False when there is no such session.
     *
     * @throws ConsulException when there is no answer, or not in time
     */
    boolean renewSession(String id);

    /**
     * Ends a session, which deletes the keys it holds if it was made so. Ending one that does not exist succeeds.
     *
     * @throws ConsulException when it is not known to be ended
     */
    void destroySession(String id);

    /**
     * Registers, or registers anew, a service of the agent's with a check of the same id that turns critical when it is not
     * passed for the time given. The agent takes the service away when it has been critical for a minute or two.
     *
     * @throws ConsulException when it is not known to be registered
     */
    void registerService(String id, String name, Duration ttl);

    /**
     * Passes a check. False when the agent knows no such check.
     *
     * @param limit how long to wait for the answer, if that is less than for others
     * @throws ConsulException when there is no answer, or not in time
     */
    boolean passCheck(String id, Duration limit);

    /**
     * Takes a service away, and its check with it. One that does not exist is none.
     *
     * @throws ConsulException when it is not known to be gone
     */
    void deregisterService(String id);

    /** Breaks off what is under way and frees all connections. Calls fail afterwards. */
    @Override
    void close();
}
