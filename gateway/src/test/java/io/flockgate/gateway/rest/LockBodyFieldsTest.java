package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rest.LockBody.Field;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockBodyFieldsTest {
    private static final Set<Field> KNOWN = EnumSet.of(Field.LIMIT, Field.TOKEN);

    private static LockBody read(String body) {
        return LockBody.of(body.getBytes(UTF_8), KNOWN);
    }

    private static void expectFault(String body, String fault) {
        assertThatThrownBy(() -> read(body))
                .as(body)
                .isInstanceOf(FaultException.class)
                .hasMessage(fault);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "1, 1",
        "-1, -1",
        "2147483648, 2147483648",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808",
        "null, 0",
    })
    void numbersHave64Bits(String written, long number) throws Exception {
        assertThat(read("{\"limit\":" + written + "}").number(Field.LIMIT)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551617",
                "100000000000000000000000",
            })
    void numbersBeyond64BitsAreNotCut(String written) {
        expectFault("{\"limit\":" + written + "}", "limit does not fit 64 bits");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1e0", "1E2", "-0.0", "\"1\"", "true", "false", "[1]", "{\"limit\":1}"})
    void onlyIntegersWrittenAsSuchAreNumbers(String written) {
        expectFault("{\"limit\":" + written + "}", "limit must be an integer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "true", "[\"a\"]", "{}"})
    void onlyStringsAreTokens(String written) {
        expectFault("{\"token\":" + written + "}", "token must be a string");
    }

    @Test
    void whatIsMissingOrNullIsTheZeroValue() throws Exception {
        for (String body : new String[] {"{}", "null", "{\"limit\":null,\"token\":null}"}) {
            assertThat(read(body).number(Field.LIMIT)).isZero();
            assertThat(read(body).token()).isEmpty();
        }
    }

    @Test
    void aFieldGivenTwiceIsAFaultInWhateverCaseAndEvenIfNull() {
        expectFault("{\"limit\":1,\"limit\":1}", "field limit is given twice");
        expectFault("{\"limit\":1,\"LIMIT\":2}", "field limit is given twice");
        expectFault("{\"limit\":null,\"limit\":1}", "field limit is given twice");
        expectFault("{\"Token\":\"a\",\"tokeN\":null}", "field token is given twice");
    }

    @Test
    void aFieldOfAnotherRequestIsUnknown() {
        for (Field field : EnumSet.complementOf(EnumSet.copyOf(KNOWN))) {
            expectFault("{\"" + field.text() + "\":0}", "unknown field " + field.text());
        }
        expectFault("{\"limit \":0}", "unknown field limit ");
        expectFault("{\"l\u0131mit\":0}", "unknown field l\u0131mit");
    }

    @Test
    void theCaseOfNamesDoesNotDependOnTheLanguageOfTheMachine() throws Exception {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.of("tr"));
            assertThat(read("{\"LIMIT\":3}").number(Field.LIMIT)).isEqualTo(3);
        } finally {
            Locale.setDefault(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "\"{}\"", "true", "[{}]", "-1.5"})
    void anythingButAnObjectIsAFault(String body) {
        expectFault(body, "body must be a JSON object");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{} {}", "{}{}", "{} null", "null null", "{}1", "{}\"\"", "null[]"})
    void aSecondValueIsAFault(String body) {
        expectFault(body, "body must contain a single JSON value");
    }

    @ParameterizedTest
    @CsvSource({
        "'{', 1",
        "'{]', 1",
        "'}', 0",
        "'{} x', 3",
        "'{}]', 2",
        "'{}//', 2",
        "nul, 0",
        "'#{}', 0",
        "limit=1, 0",
        "'{limit:1}', 1",
        "'{\"limit\":1,}', 9",
        "'{\"limit\":01}', 9",
        "'{\"limit\":+1}', 9",
        "'{\"limit\":0x1}', 9",
        "'{\"limit\":NaN}', 9",
        "'{\"limit\":1/**/}', 9"
    })
    void whatIsNotJsonIsAFaultThatSaysAboutWhere(String body, int atLeast) {
        assertThatThrownBy(() -> read(body)).isInstanceOfSatisfying(FaultException.class, fault -> {
            assertThat(fault).hasMessageMatching("body is not valid JSON, at byte [0-9]+");
            int at = Integer.parseInt(String.valueOf(fault.getMessage()).replaceAll("\\D", ""));
            assertThat(at).isBetween(atLeast, body.length() + 1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "{\"token\":\"secret", "{\"token\":secret}", "{\"token\":\"secret\"}secret"})
    void aFaultRepeatsNothingOfTheBodyAndHasNoTrace(String body) {
        assertThatThrownBy(() -> read(body)).isInstanceOfSatisfying(FaultException.class, fault -> {
            assertThat(fault.getMessage()).doesNotContain("secret", "Source", "\n");
            assertThat(fault.getStackTrace()).isEmpty();
            assertThat(fault.getCause()).isNull();
        });
    }

    @Test
    void hugeAndDeepValuesAreFaultsLikeOthers() {
        for (String body : new String[] {
            "[".repeat(500_000),
            "{\"limit\":" + "[".repeat(500_000),
            "{\"limit\":" + "9".repeat(1_000_000) + "}",
            "{\"" + "x".repeat(1_000_000) + "\":0}",
        }) {
            assertThatThrownBy(() -> read(body)).isInstanceOf(FaultException.class);
        }
    }

    @Test
    void bytesThatAreNotUtf8AreReadAsSignsOfThat() throws Exception {
        byte[] body = "{\"token\":\"a?b\"}".getBytes(UTF_8);
        body[11] = (byte) 0xff;
        assertThat(LockBody.of(body, KNOWN).token()).isEqualTo("a\ufffdb");
    }
}
