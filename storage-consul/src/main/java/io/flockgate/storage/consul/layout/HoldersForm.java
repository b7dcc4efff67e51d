package io.flockgate.storage.consul.layout;

/** The form in which a semaphore's document lists its holders. Both forms are read; the form found is kept. */
public enum HoldersForm {
    /** {@code ["<session>", …]}: Consul's semaphore guide. */
    LIST,
    /** {@code {"<session>": true, …}}: Consul's command line and Go API, which cannot read a list. */
    MAP
}
