package io.flockgate.gateway.transcript;

import java.util.Map;
import java.util.TreeMap;

/**
 * The values of the placeholders seen so far, and the time since the start. Two names never stand
 * for the same value.
 */
final class Bindings {
    /** Two clocks of one machine, and whole seconds. */
    private static final double INACCURACY_SECONDS = 1;

    private static final double NANOS = 1e9;

    private final Map<String, String> values = new TreeMap<>();
    private final long start;

    Bindings() {
        this.start = System.nanoTime();
    }

    Bindings(Bindings other) {
        values.putAll(other.values);
        this.start = other.start;
    }

    /** The most seconds that may have passed since anything that was done with these. */
    double mostSeconds() {
        return (System.nanoTime() - start) / NANOS + INACCURACY_SECONDS;
    }

    boolean knows(String name) {
        return values.containsKey(name);
    }

    String value(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("<" + name + "> has not been received yet");
        }
        return value;
    }

    /** False when the name has another value, or the value another name. */
    boolean bind(String name, String value) {
        if (knows(name)) {
            return value(name).equals(value);
        }
        if (values.containsValue(value)) {
            return false;
        }
        values.put(name, value);
        return true;
    }

    void learn(Bindings other) {
        values.putAll(other.values);
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
