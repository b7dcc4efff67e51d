package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A fault of one call to a stand-in for Consul. */
public sealed interface Fault {
    /** The faults that a write may meet. */
    List<Fault> OF_WRITES = List.of(
            new Rejected(FailureKind.UNAVAILABLE),
            new AppliedUnknown(),
            new LostUnknown(),
            new AppliedLater(),
            new Duplicated());

    /** No fault. */
    record None() implements Fault {}

    /** The call fails, certainly without an effect. */
    record Rejected(FailureKind kind) implements Fault {}

    /** The call is carried out, but its answer is lost. */
    record AppliedUnknown() implements Fault {}

    /** The call is not carried out, but its result is unknown. */
    record LostUnknown() implements Fault {}

    /** The answer is lost, and the call is carried out at {@link FakeConsul#deliverLate}. */
    record AppliedLater() implements Fault {}

    /**
     * The call is carried out twice: now, with its answer returned, and again at {@link
     * FakeConsul#deliverLate}.
     */
    record Duplicated() implements Fault {}

    /** Something else happens before the call is carried out. */
    record Before(Runnable other) implements Fault {}

    /** The call is carried out, and something else happens before it is answered. */
    record After(Runnable other) implements Fault {}

    /** The call is carried out once this no longer holds. */
    static Fault heldWhile(BooleanSupplier held) {
        return new Before(() -> ForwardingConsulApi.holdWhile(held));
    }

    /** The call is carried out at once, and answered once this no longer holds. */
    static Fault answeredAfter(BooleanSupplier held) {
        return new After(() -> ForwardingConsulApi.holdWhile(held));
    }
}
