package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.Place;

/** Whether there may be one key more. Implementations are thread safe. */
interface Capacity {
    /** Counts a key that is about to be made, if there may be one more; may read Consul. False when there may not. */
    boolean reserve(Place place);

    /** The key was not made here after all; another gateway may have made it. */
    void notMade(Place place);

    /** The key is there no more. */
    void gone(Place place);
}
