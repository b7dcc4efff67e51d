package io.flockgate.storage.consul;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.Operator.Entry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/** A key, read only by the documented formats in Consul, without the storage's own code. */
record RawKey(long holders, long waiters) {
    static RawKey read(Operator operator, String base, Key key) {
        String prefix = base + escaped(key) + "/";
        long waiters = 0;
        Set<String> sessions = new HashSet<>();
        Optional<Entry> lock = Optional.empty();
        for (Entry entry : operator.list(prefix)) {
            String name = entry.key().substring(prefix.length());
            if (name.equals(".lock")) {
                lock = Optional.of(entry);
            } else if (name.startsWith(".wait/")) {
                waiters++;
            } else if (entry.session() != null) {
                sessions.add(entry.session());
            }
        }
        return new RawKey(lock.map(entry -> holders(entry, sessions)).orElse(0L), waiters);
    }

    private static long holders(Entry lock, Set<String> sessions) {
        if (!lock.flags().equals(Operator.SEMAPHORE)) {
            return lock.session() == null ? 0 : 1;
        }
        Object holders = new JsonObject(lock.value()).getValue("Holders");
        Set<String> ids = new HashSet<>();
        if (holders instanceof JsonArray list) {
            list.forEach(each -> ids.add((String) each));
        } else {
            ids.addAll(((JsonObject) holders).fieldNames());
        }
        ids.retainAll(sessions);
        return ids.size();
    }

    private static String escaped(Key key) {
        StringBuilder escaped = new StringBuilder();
        byte[] bytes = key.toBytes();
        for (int i = 0; i < bytes.length; i++) {
            boolean dot =
                    bytes[i] == '.' && i > 0 && i < bytes.length - 1 && bytes[i - 1] != '.' && bytes[i + 1] != '.';
            boolean plain = dot || "_-".indexOf(bytes[i]) >= 0 || (bytes[i] > 0 && Character.isLetterOrDigit(bytes[i]));
            escaped.append(
                    plain
                            ? String.valueOf((char) bytes[i])
                            : "," + HexFormat.of().toHexDigits(bytes[i]));
        }
        return escaped.toString();
    }
}
