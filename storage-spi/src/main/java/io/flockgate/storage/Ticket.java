package io.flockgate.storage;

/** The name of one place in a key's queue: an opaque handle made by the storage, to be given back to that storage only. */
public interface Ticket {
    Key key();
}
