package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The actors of the keys that this gateway uses. Thread safe. */
public final class KeyActors {
    private final ConcurrentHashMap<Key, KeyActor> actors = new ConcurrentHashMap<>();

    /** Ends all grants under these sessions. Does not block. */
    public void sessionsLost(Set<String> sessions) {
        actors.values().forEach(each -> each.sessionsLost(sessions));
    }

    Collection<KeyActor> all() {
        return actors.values();
    }

    /** The actor of a key; null when this gateway does not use the key. */
    @Nullable
    KeyActor find(Key key) {
        return actors.get(key);
    }

    KeyActor findOrMake(Key key, Function<Key, KeyActor> make) {
        return actors.computeIfAbsent(key, make);
    }

    /** Removes an actor that has retired. */
    void remove(KeyActor actor) {
        actors.remove(actor.key(), actor);
    }
}
