package io.flockgate.storage;

/** One place in a key's queue: an opaque handle that only the storage that made it understands. */
public interface Ticket {
    Key key();
}
