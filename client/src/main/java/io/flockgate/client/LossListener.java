package io.flockgate.client;

/** Is notified of losses of a grant that its {@link Renewal} finds. */
interface LossListener {
    /** The grant was ended by this loss. Called at most once for a grant. */
    void lost(ManagedGrant grant, Loss loss);

    /** The grant was ended because its time passed. Called once, by whichever thread noticed. */
    void expired(ManagedGrant grant);

    /** The server renewed a grant that had already been given up here. */
    void renewedTooLate(ManagedGrant grant);
}
