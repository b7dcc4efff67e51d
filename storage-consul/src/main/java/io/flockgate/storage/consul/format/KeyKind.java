package io.flockgate.storage.consul.format;

import org.jspecify.annotations.Nullable;

/** The kind of a key: one or the other. */
public enum KeyKind {
    /** One holder: Consul's own {@code Lock}. */
    LOCK("lock"),
    /** As many concurrent holders as the limit: Consul's own {@code Semaphore}. */
    SEMAPHORE("semaphore");

    private final String text;

    KeyKind(String text) {
        this.text = text;
    }

    /** The name of this kind in tickets. */
    String text() {
        return text;
    }

    /** The kind with this name in a ticket; null when it is not known. */
    static @Nullable KeyKind of(@Nullable String text) {
        if (LOCK.text.equals(text)) {
            return LOCK;
        }
        return SEMAPHORE.text.equals(text) ? SEMAPHORE : null;
    }
}
