package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import io.flockgate.storage.tck.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Keys of any bytes, written to a real Consul and read back. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class WireNamesTest {
    private static final List<String> TEXTS = List.of(
            "?",
            "a?recurse",
            "%",
            "%20",
            "%2F",
            "%2e%2e",
            "..",
            ".",
            "../x",
            "a/../b",
            "/",
            "//",
            "a/b",
            "a",
            "a/",
            "/a",
            "~",
            "~2f",
            ",",
            ",2f",
            ".lock",
            ".seq",
            ".wait",
            ".wait/x",
            "+",
            "&",
            "#",
            ";",
            "'",
            "\"",
            "\\",
            "*",
            "a..b",
            "é",
            "日本",
            "🔒",
            "\u0000",
            "\u007f",
            "A",
            "-",
            "_",
            "a=b",
            "{}",
            "a".repeat(256),
            "/".repeat(256));

    private final Site site = new Site();

    @AfterEach
    void close() {
        site.close();
    }

    private static List<Key> keys() {
        List<Key> keys = new ArrayList<>(TEXTS.stream().map(Key::of).toList());
        for (byte[] bytes :
                new byte[][] {{(byte) 0xff}, {(byte) 0xc3}, {(byte) 0xc3, 0x28}, {(byte) 0x80, 'a'}, {0, 1, 2}}) {
            keys.add(Objects.requireNonNull(Key.copyOf(bytes, 0, bytes.length)));
        }
        return keys;
    }

    private static Claim claim(Key key) {
        Kind kind = key.length() % 2 == 0 ? Kind.LOCK : Kind.SEMAPHORE;
        return new Claim(key, kind, 1, 1000, true);
    }

    /** All at once, so that a key that collided with another would find it held. */
    @Test
    void everyKeyIsOneOfItsOwn() {
        LockStorage gateway = site.gateway();
        LockStorage other = site.gateway();
        List<Held> held =
                keys().stream().map(key -> site.hold(gateway, claim(key))).toList();
        assertThat(held).allMatch(each -> site.tryOnce(other, claim(each.grant().key())) == Refusal.BUSY);
        assertThat(Await.result(other.inspect(new KeyQuery(new byte[0], null, 1000)))
                        .keys())
                .extracting(KeySummary::key)
                .containsExactlyInAnyOrderElementsOf(keys());
        List<Waiting> waiting =
                keys().stream().map(key -> site.queue(other, claim(key))).toList();
        assertThat(held).allMatch(each -> each.renew() == RenewOutcome.RENEWED);
        assertThat(held).allMatch(each -> each.release() == ReleaseOutcome.RELEASED);
        assertThat(waiting).allMatch(each -> each.awaitGrant().release() == ReleaseOutcome.RELEASED);
    }

    @Test
    void everyNameIsOneThatAllVersionsOfConsulTake() {
        LockStorage gateway = site.gateway();
        List<Held> held =
                keys().stream().map(key -> site.hold(gateway, claim(key))).toList();
        assertThat(site.operator().list(site.base()))
                .extracting(Entry::key)
                .hasSizeGreaterThanOrEqualTo(keys().size())
                .allMatch(
                        name -> name.substring(site.base().length())
                                .matches(
                                        "\\.flockgate|\\.gateways/[A-Za-z0-9_.,-]+|[A-Za-z0-9_,-][A-Za-z0-9_.,-]*/(\\.lock|\\.seq|[0-9a-f-]{36})"))
                .noneMatch(name -> name.contains("%") || name.contains("..") || name.contains("//"));
        assertThat(held).allMatch(each -> each.release() == ReleaseOutcome.RELEASED);
    }

    @Test
    void aLongNameOfANodeWithAnyCharactersDoesNoHarm() {
        String name = "/é?%".repeat(40);
        LockStorage gateway = site.gateway(java.util.Map.of("node-name", name));
        Held held = site.hold(gateway, Site.lock("job"));
        Waiting waiting = site.queue(gateway, Site.lock("job"));
        assertThat(site.operator().list(site.base() + "job/.wait/")).hasSize(1);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiting.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(256);
    }

    /**
     * Bases of which one begins the other's name: {@code x/} and {@code x2/}, and {@code x/} and
     * {@code x/y/}.
     */
    @Test
    void gatewaysOfOtherBasesAreNotMet() {
        LockStorage gateway = site.gateway();
        Site inner = new Site(site.base() + "inner/");
        Site beside = new Site(site.base().substring(0, site.base().length() - 1) + "2/");
        try {
            Held one = site.hold(gateway, Site.lock("job"));
            Held two = site.hold(inner.gateway(), Site.lock("job"));
            Held three = site.hold(beside.gateway(), Site.lock("job"));
            assertThat(one.renew()).isEqualTo(RenewOutcome.RENEWED);
            assertThat(two.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(three.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
        } finally {
            inner.close();
            beside.close();
        }
    }
}
