package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.util.Locale;
import java.util.stream.Stream;

/** What happens to the command when the lease is lost. */
enum OnLoss {
    /** TERM, then KILL before the lease passes on. */
    KILL,
    /** TERM, and never KILL. */
    TERM,
    /** Nothing. The command's own status counts. */
    IGNORE;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static OnLoss of(String text) {
        return Stream.of(values())
                .filter(each -> each.word().equals(text))
                .findFirst()
                .orElseThrow(() ->
                        CommandException.usage("--on-loss must be kill, term or ignore (got " + Quoting.quoted(text)
                                + ")" + Suggestion.of(text, Stream.of(values()).map(OnLoss::word))));
    }
}
