package io.flockgate.gateway.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class RequestTargetPropertyTest {
    /** Targets of a few segments each, most of them unclean. */
    @Provide
    Arbitrary<String> targets() {
        Arbitrary<String> segment = Arbitraries.of("", "", ".", "..", "a", "%2E", "%2f", "...", "b.");
        Arbitrary<String> query = Arbitraries.of("", "?", "?a=/../b", "?//");
        return segment.list()
                .ofMaxSize(9)
                .flatMap(segments -> query.map(after -> "/" + String.join("/", segments) + after));
    }

    @Property(tries = 2000)
    void whatWasCleanedIsCleanAndStaysAsItIs(@ForAll("targets") String text) {
        RequestTarget clean = parsed(text).cleaned();
        assertThat(clean.isUnclean()).isFalse();
        assertThat(clean.cleaned()).isEqualTo(clean);
        assertThat(RequestTarget.parse(clean.toString())).isEqualTo(clean);
    }

    @Property(tries = 2000)
    void onlyWhatIsUncleanIsChangedAndNeverItsQuery(@ForAll("targets") String text) {
        RequestTarget target = parsed(text);
        assertThat(target).hasToString(text);
        assertThat(target.cleaned().equals(target)).isEqualTo(!target.isUnclean());
        assertThat(target.cleaned().query()).isEqualTo(target.query());
        assertThat(target.cleaned().path()).startsWith("/").doesNotStartWith("//");
    }

    @Property(tries = 2000)
    void emptyAndDottedSegmentsMakeATargetUnclean(@ForAll("targets") String text) {
        RequestTarget target = parsed(text);
        String[] segments = target.path().substring(1).split("/", -1);
        boolean unclean = false;
        for (int i = 0; i < segments.length; i++) {
            boolean last = i == segments.length - 1;
            unclean |= segments[i].equals(".") || segments[i].equals("..") || (segments[i].isEmpty() && !last);
        }
        assertThat(target.isUnclean()).isEqualTo(unclean);
    }

    @Property(tries = 2000)
    void anyTextIsATargetOrNone(@ForAll String text) {
        RequestTarget target = RequestTarget.parse("/" + text);
        if (target != null) {
            assertThat(target.cleaned().isUnclean()).isFalse();
            assertThat(PercentCoding.decode(target.path())).isNotNull();
        }
    }

    private static RequestTarget parsed(String text) {
        return requireNonNull(RequestTarget.parse(text), text);
    }
}
