package io.flockgate.storage.consul.format;

import org.jspecify.annotations.Nullable;

/**
 * The form in which a semaphore's document lists its holders. Both forms are read, and the form
 * found is kept.
 */
public enum HoldersForm {
    /** {@code ["<session>", …]}: Consul's semaphore guide. */
    LIST("list"),
    /**
     * {@code {"<session>": true, …}}: Consul's command line and Go API, which cannot read a list.
     */
    MAP("map");

    private final String text;

    HoldersForm(String text) {
        this.text = text;
    }

    /** The name of this form in the record of the cluster. */
    public String text() {
        return text;
    }

    /** The form with this name; null if there is none. */
    public static @Nullable HoldersForm of(String text) {
        if (LIST.text.equals(text)) {
            return LIST;
        }
        return MAP.text.equals(text) ? MAP : null;
    }
}
