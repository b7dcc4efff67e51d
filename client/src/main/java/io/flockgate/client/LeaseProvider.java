package io.flockgate.client;

/** A source of leases over one back end. Safe from any thread. */
public interface LeaseProvider extends AutoCloseable {
    /**
     * A lease of its own, not yet acquired. Two leases of one name compete like strangers.
     *
     * @throws LeaseConfigException if the back end cannot do what the options ask for
     * @throws LeaseClosedException after {@link #close()}
     */
    Lease lease(LeaseOptions options);

    /** A lease with default options: limit 1, and a time of 30 seconds. */
    default Lease lease(String name) {
        return lease(LeaseOptions.of(name));
    }

    /** Closes all leases of this provider and then its connections, within a few seconds. */
    @Override
    void close();
}
