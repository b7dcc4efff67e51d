package io.flockgate.client.spring;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/**
 * The settings of a {@link FlockgateLockRegistry}. Immutable: each method returns a changed copy.
 *
 * @param prefix precedes the name of each lock; may be empty
 * @param ttl the time after which another process may have a lock of a process that has died; 20 ms
 *     to a day, and whole seconds for a server of the line protocol
 * @param naming maps a key to its name, without the prefix
 */
public record LockSettings(String prefix, Duration ttl, Function<Object, String> naming) {
    private static final LockSettings DEFAULTS = new LockSettings("", Duration.ofSeconds(30), LockSettings::text);

    public LockSettings {
        Objects.requireNonNull(naming);
        LeaseOptions.named(prefix.isEmpty() ? "any" : prefix).ttl(ttl).build();
    }

    /**
     * No prefix, a time to live of 30 seconds, and keys that are texts, numbers, enums or UUIDs.
     */
    public static LockSettings defaults() {
        return DEFAULTS;
    }

    /** The same with another {@link #prefix}. */
    public LockSettings prefix(String before) {
        return new LockSettings(before, ttl, naming);
    }

    /** The same with another {@link #ttl}. */
    public LockSettings ttl(Duration time) {
        return new LockSettings(prefix, time, naming);
    }

    /**
     * The same with another {@link #naming}. Two keys that may be locked at the same time must have
     * different names.
     */
    public LockSettings naming(Function<Object, String> names) {
        return new LockSettings(prefix, ttl, names);
    }

    /**
     * The text of a key. An object without its own text would have a different name in each
     * process, so its lock would exclude no other process.
     */
    private static String text(Object key) {
        if (key instanceof CharSequence || key instanceof Number || key instanceof Enum || key instanceof UUID) {
            return key.toString();
        }
        throw new LeaseConfigException("a key of " + key.getClass().getName()
                + " has no name: use a text, a number, an enum or a UUID, or set LockSettings.naming");
    }
}
