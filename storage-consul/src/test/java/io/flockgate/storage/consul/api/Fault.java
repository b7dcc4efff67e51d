package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import java.time.Duration;

/** What a stand-in for Consul does with a call instead of just carrying it out. */
public sealed interface Fault {
    /** Nothing. */
    record None() implements Fault {}

    /** The call fails, surely without an effect. */
    record NotDone(FailureKind kind) implements Fault {}

    /** The call is carried out, but its answer is lost. */
    record AppliedUnknown() implements Fault {}

    /** The call is not carried out, but nobody says so. */
    record LostUnknown() implements Fault {}

    /** The answer is lost, and the call is carried out at {@link FakeConsul#deliverLate}. */
    record AppliedLater() implements Fault {}

    /** The call is carried out twice: now, with its answer given, and again at {@link FakeConsul#deliverLate}. */
    record Duplicated() implements Fault {}

    /** The call is carried out after a time of the stand-in's clock. */
    record Delayed(Duration time) implements Fault {}

    /** Something else happens before the call is carried out. */
    record Before(Runnable other) implements Fault {}
}
