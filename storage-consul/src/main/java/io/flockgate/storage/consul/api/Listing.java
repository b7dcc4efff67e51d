package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.ResponseJson;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a response, parsed while its bytes arrive, so that the heap never contains the
 * whole text of a long list.
 *
 * @param malformed the reason why the response cannot be read; null when it can
 */
record Listing(List<KvEntry> entries, @Nullable JsonException malformed) {
    static final Listing NONE = new Listing(List.of(), null);

    /**
     * Reads a list of entries.
     *
     * @param known the entries of an earlier list; those that have not changed are reused
     * @throws IOException when the connection fails, or the response has too many bytes
     */
    static Listing read(InputStream body, int maxBytes, List<KvEntry> known) throws IOException {
        Bounded bounded = new Bounded(body, maxBytes);
        try {
            return new Listing(ResponseJson.entries(bounded, new KnownEntries(known)::share), null);
        } catch (JsonException e) {
            return new Listing(List.of(), e);
        }
    }

    /** Returns the entries, or throws the reason why they cannot be read. */
    List<KvEntry> required() {
        if (malformed != null) {
            throw malformed;
        }
        return entries;
    }

    /** A stream with a maximum length. */
    private static final class Bounded extends FilterInputStream {
        private final int max;
        private int count;

        Bounded(InputStream in, int max) {
            super(in);
            this.max = max;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int got = super.read(bytes, from, length);
            count += Math.max(0, got);
            if (count > max) {
                throw new BoundedHttpClient.AnswerTooLargeException(max);
            }
            return got;
        }
    }

    /**
     * The entries of an earlier response, reused where nothing has changed, so that a long list
     * that is read repeatedly needs new memory only for changes.
     */
    private static final class KnownEntries {
        private final List<KvEntry> entries;
        private int next;

        /**
         * @param entries sorted by key
         */
        KnownEntries(List<KvEntry> entries) {
            this.entries = entries;
        }

        /**
         * The known entry that equals this one, otherwise this one. Must be called in the order of
         * keys.
         */
        KvEntry share(KvEntry fresh) {
            while (next < entries.size() && entries.get(next).key().compareTo(fresh.key()) < 0) {
                next++;
            }
            boolean same = next < entries.size() && isSame(entries.get(next), fresh);
            return same ? entries.get(next++) : fresh;
        }

        /** Compares everything, because in a restored Consul one index may stand for two values. */
        private static boolean isSame(KvEntry known, KvEntry fresh) {
            return known.modifyIndex() == fresh.modifyIndex()
                    && known.createIndex() == fresh.createIndex()
                    && known.lockIndex() == fresh.lockIndex()
                    && known.flags() == fresh.flags()
                    && known.key().equals(fresh.key())
                    && Objects.equals(known.session(), fresh.session())
                    && Arrays.equals(known.value(), fresh.value());
        }
    }
}
