package io.flockgate.storage.consul.layout;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.ClientMark;
import io.flockgate.storage.consul.format.KeyKind;

/** Translates between the terms of a storage and those of the format in Consul. */
public final class Terms {
    private Terms() {}

    /** The kind of a key in the format. */
    public static KeyKind kind(Kind kind) {
        return switch (kind) {
            case LOCK -> KeyKind.LOCK;
            case SEMAPHORE -> KeyKind.SEMAPHORE;
        };
    }

    /** The kind of a key in the storage. */
    public static Kind kind(KeyKind kind) {
        return switch (kind) {
            case LOCK -> Kind.LOCK;
            case SEMAPHORE -> Kind.SEMAPHORE;
        };
    }

    public static ClientMark mark(long id, ClientDescription client, long sinceSeconds) {
        ClientMark.Via via = switch (client.via()) {
            case CONNECTION -> ClientMark.Via.CONNECTION;
            case SESSION -> ClientMark.Via.SESSION;
            case CONSUL -> ClientMark.Via.CONSUL;
            case OTHER -> ClientMark.Via.OTHER;
        };
        return new ClientMark(id, via, client.name(), client.address(), client.tokenName(), sinceSeconds);
    }

    public static ClientDescription client(ClientMark mark) {
        ClientDescription.Via via = switch (mark.via()) {
            case CONNECTION -> ClientDescription.Via.CONNECTION;
            case SESSION -> ClientDescription.Via.SESSION;
            case CONSUL -> ClientDescription.Via.CONSUL;
            case OTHER -> ClientDescription.Via.OTHER;
        };
        return new ClientDescription(via, mark.name(), mark.address(), mark.tokenName());
    }
}
