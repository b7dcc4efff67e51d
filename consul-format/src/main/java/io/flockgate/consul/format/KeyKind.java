package io.flockgate.consul.format;

import org.jspecify.annotations.Nullable;

/** The kind of a key. One key is one or the other. */
public enum KeyKind {
    /** One holder: Consul's own {@code Lock}. */
    LOCK("lock"),
    /** As many holders as the limit says: Consul's own {@code Semaphore}. */
    SEMAPHORE("semaphore");

    private final String text;

    KeyKind(String text) {
        this.text = text;
    }

    /** The name in tickets. */
    String text() {
        return text;
    }

    /** The kind of a ticket's field; null when it is not known. */
    static @Nullable KeyKind of(@Nullable String text) {
        if (LOCK.text.equals(text)) {
            return LOCK;
        }
        return SEMAPHORE.text.equals(text) ? SEMAPHORE : null;
    }
}
