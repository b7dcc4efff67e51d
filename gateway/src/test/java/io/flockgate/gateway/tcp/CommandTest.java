package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.Frames.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.tcp.LineDecoder.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {
    private static Command read(String line) {
        LineDecoder decoder = new LineDecoder();
        decoder.append(bytes(line + "\nkey\n0\n"));
        assertThat(decoder.next()).isEqualTo(Step.FRAME);
        return Command.of(decoder);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INVALID")
    void isFoundByItsWord(Command command) {
        assertThat(read(command.text())).isEqualTo(command);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "x", "sx", "L", "ll", "sl ", "sll", "pin", "pings", "Stats", "invalid", "\u00ff"})
    void isInvalidOtherwise(String line) {
        assertThat(read(line)).isEqualTo(Command.INVALID);
    }

    @Test
    void thatNeedsNoKeyTakesAnyLines() {
        assertThat(Command.of(Frames.of("ping", "", "1 2 3 4"))).isEqualTo(Command.PING);
        assertThat(Command.of(Frames.of("stats", "a b", ""))).isEqualTo(Command.STATS);
    }

    @Test
    void ofASemaphoreHasTheAnswersOfALockAndCapsOnHolders() {
        for (Command command : Command.values()) {
            if (command.text().length() == 1) {
                assertThat(Command.valueOf("S" + command).answers())
                        .filteredOn(answer -> !answer.name().startsWith("ERROR_MAX_HOLDERS"))
                        .containsExactlyElementsOf(command.answers());
            }
        }
    }
}
