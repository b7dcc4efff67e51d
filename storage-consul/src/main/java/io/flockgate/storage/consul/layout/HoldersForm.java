package io.flockgate.storage.consul.layout;

/** How a semaphore's document lists its holders. Both are read; the one found is kept. */
public enum HoldersForm {
    /** {@code ["<session>", …]}: Consul's semaphore guide. */
    LIST,
    /** {@code {"<session>": true, …}}: Consul's command line and Go API, which cannot read a list. */
    MAP
}
