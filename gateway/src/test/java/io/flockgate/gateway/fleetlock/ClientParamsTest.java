package io.flockgate.gateway.fleetlock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.fleetlock.Answer.AnswerKind;
import io.flockgate.gateway.fleetlock.ClientParams.ParseResult.Parsed;
import io.flockgate.gateway.fleetlock.ClientParams.ParseResult.Rejected;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientParamsTest {
    private static void understood(String body, String id, String group) {
        assertThat(ClientParams.read(body.getBytes(UTF_8))).as(body).isEqualTo(new Parsed(new ClientParams(id, group)));
    }

    private static void refused(AnswerKind kind, byte[] body) {
        assertThat(ClientParams.read(body)).isInstanceOfSatisfying(Rejected.class, refused -> {
            assertThat(refused.answer().kind()).as(new String(body, UTF_8)).isEqualTo(kind);
            assertThat(refused.answer().value()).isNotBlank();
        });
    }

    private static String body(String id, String group) {
        return "{\"client_params\":{\"id\":" + id + ",\"group\":" + group + "}}";
    }

    @Test
    void aRequestIsReadAsZincatiWritesIt() {
        understood("""
                {
                  "client_params": {
                    "id": "c988d2509fdf5cdcbed39037c56406fb",
                    "group": "workers"
                  }
                }""", "c988d2509fdf5cdcbed39037c56406fb", "workers");
    }

    @Test
    void otherMembersAreNoConcernOfOurs() {
        understood(
                "{\"a\":[{}],\"client_params\":{\"x\":{\"id\":1},\"group\":\"g\",\"node\":null,\"id\":\"i\"},\"b\":{\"client_params\":1}}",
                "i",
                "g");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a/b", "\u00e4", "\ud83d\udd12", "<b>", "'", "$(x)", "A", " ", "\u00a0", "\u202e"})
    void anIdIsAnyText(String id) {
        understood(body("\"" + id + "\"", "\"g\""), id, "g");
    }

    @Test
    void anIdHasUpTo256BytesOfUtf8() {
        understood(body("\"" + "x".repeat(256) + "\"", "\"g\""), "x".repeat(256), "g");
        understood(body("\"" + "\u00e4".repeat(128) + "\"", "\"g\""), "\u00e4".repeat(128), "g");
        refused(
                AnswerKind.INVALID_ID,
                body("\"" + "x".repeat(257) + "\"", "\"g\"").getBytes(UTF_8));
        refused(
                AnswerKind.INVALID_ID,
                body("\"" + "\u00e4".repeat(128) + "x\"", "\"g\"").getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "null",
                "1",
                "true",
                "{}",
                "[\"a\"]",
                "\"a\\u0000\"",
                "\"a\\n\"",
                "\"\\u0085\"",
                "\"\\ud800\""
            })
    void anIdThatIsNoneIsRefused(String id) {
        refused(AnswerKind.INVALID_ID, body(id, "\"g\"").getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"g", "default", "worker", "01", "group-A", "infra.01", "example.com", ".", "..", "-"})
    void aGroupHasLettersDigitsDotsAndHyphens(String group) {
        understood(body("\"i\"", "\"" + group + "\""), "i", group);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "null",
                "7",
                "{}",
                "\"a\\n\"",
                "\" a\"",
                "\"a \"",
                "\"a/b\"",
                "\"\u00e4\"",
                "\"intr\u00e5net\"",
                "\"a_b\"",
                "\"\u0661\""
            })
    void aGroupThatIsNoneIsRefused(String group) {
        refused(AnswerKind.INVALID_GROUP, body("\"i\"", group).getBytes(UTF_8));
    }

    @Test
    void whatIsMissingIsSaid() {
        refused(AnswerKind.INVALID_ID, "{\"client_params\":{\"group\":\"g\"}}".getBytes(UTF_8));
        refused(AnswerKind.INVALID_GROUP, "{\"client_params\":{\"id\":\"i\"}}".getBytes(UTF_8));
        refused(AnswerKind.INVALID_ID, "{\"client_params\":{}}".getBytes(UTF_8));
        refused(AnswerKind.INVALID_BODY, "{}".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " \n",
                "x",
                "null",
                "[]",
                "\"a\"",
                "{\"client_params\":null}",
                "{\"client_params\":[]}",
                "{\"client_params\":\"x\"}",
                "{\"client_params\":{\"id\":\"i\",\"group\":\"g\"}",
                "{\"client_params\":{\"id\":\"i\",\"group\":\"g\"}} x",
                "{\"client_params\":{\"id\":\"i\",\"group\":\"g\"}}{}",
                "{\"client_params\":{\"id\":\"i\",\"id\":\"i\",\"group\":\"g\"}}",
                "{\"client_params\":{\"id\":\"i\",\"group\":\"g\"},\"client_params\":{}}",
                "\ufeff{\"client_params\":{\"id\":\"i\",\"group\":\"g\"}}",
                "{'client_params':{}}",
                "{\"client_params\":{\"id\":\"i\",\"group\":\"g\",}}"
            })
    void whatIsNoJsonObjectOfThisFormIsRefused(String body) {
        refused(AnswerKind.INVALID_BODY, body.getBytes(UTF_8));
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        refused(AnswerKind.INVALID_BODY, new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'});
    }

    @Test
    void nestingIsBounded() {
        refused(AnswerKind.INVALID_BODY, ("{\"a\":" + "[".repeat(8000)).getBytes(UTF_8));
        refused(AnswerKind.INVALID_BODY, ("{\"a\":" + "[".repeat(200) + "]".repeat(200) + "}").getBytes(UTF_8));
    }

    @Test
    void answersRepeatNothingThatAClientHasSent() {
        assertThat(ClientParams.read("{\"s3cret\":}".getBytes(UTF_8)))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        refused -> assertThat(refused.answer().value()).doesNotContain("s3cret"));
    }

    @Test
    void kindsAreAClosedSetAndNoneIsASuccessButWith200() {
        assertThat(AnswerKind.values()).hasSize(25).allSatisfy(kind -> {
            assertThat(kind.text()).matches("[a-z_]+");
            assertThat(kind.status()).matches(status -> status == 200 || status >= 400);
        });
        assertThat(AnswerKind.FAILED_LOCK_SEMAPHORE_FULL.text()).isEqualTo("failed_lock_semaphore_full");
    }
}
