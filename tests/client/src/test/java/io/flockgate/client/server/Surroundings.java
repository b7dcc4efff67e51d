package io.flockgate.client.server;

import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What the examples of the client use: the objects of an application, and its own code, which notes
 * that it was called.
 */
public abstract class Surroundings {
    protected @Nullable LeaseProvider leases;
    protected @Nullable Lease lease;
    protected @Nullable Vertx vertx;
    protected MeterRegistry registry = new SimpleMeterRegistry();
    private Queue<String> called = new ConcurrentLinkedQueue<>();

    /** Runs the example, whose calls are noted in this queue. */
    final void run(LeaseProvider provider, Lease one, Vertx application, Queue<String> calls) throws Exception {
        leases = provider;
        lease = one;
        vertx = application;
        called = calls;
        example();
    }

    /** The code of the example. */
    public abstract void example() throws Exception;

    protected String report(long fence) {
        called.add("report");
        return "reported with " + fence;
    }

    protected void write(long fence) {
        called.add("write");
    }

    protected void write(String what) {
        called.add(what);
    }

    protected void write(String what, long fence) {
        called.add(what);
    }

    protected void lead(LeaseGrant grant) {
        called.add("lead");
    }

    protected void start(LeaseGrant grant) {
        called.add("start");
    }

    protected void stop() {
        called.add("stop");
    }
}
