package io.flockgate.gateway.transcript;

import java.util.Map;
import java.util.TreeMap;

/** The values of the placeholders seen so far. Two names never stand for the same value. */
final class Bindings {
    private final Map<String, String> values = new TreeMap<>();

    Bindings() {}

    Bindings(Bindings other) {
        values.putAll(other.values);
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
