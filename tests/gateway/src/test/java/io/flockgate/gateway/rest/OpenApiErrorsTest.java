package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.server.http.ApiDocument;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.testsupport.Repository;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The OpenAPI document knows the error codes that the server knows. */
class OpenApiErrorsTest {
    private static final Pattern CODE = Pattern.compile("\"error\":\"([a-z_]+)\"");

    @Test
    void everyErrorIsDocumented() throws Exception {
        ApiDocument document = ApiDocument.published();
        TreeSet<String> codes = new TreeSet<>();
        for (Reply reply : replies()) {
            String body = new String(reply.body(), StandardCharsets.UTF_8);
            Matcher code = CODE.matcher(body);
            if (code.find()) {
                codes.add(code.group(1));
                document.expectFits("ErrorBody", body);
            }
        }
        assertThat(codes).isNotEmpty();
        assertThat(document.errorCodes()).containsAll(codes);
    }

    /**
     * All replies: constants, those made from outcomes, which are private constants, and those with
     * their own text.
     */
    private static List<Reply> replies() throws IllegalAccessException {
        List<Reply> replies =
                new ArrayList<>(List.of(RestReplies.badRequest("x"), RestReplies.methodNotAllowed("GET")));
        for (Field field : RestReplies.class.getDeclaredFields()) {
            if (field.getType() == Reply.class && !Modifier.isPrivate(field.getModifiers())) {
                replies.add((Reply) field.get(null));
            }
        }
        for (Plain outcome : Plain.values()) {
            replies.add(RestReplies.of(outcome));
        }
        for (FailureKind kind : FailureKind.values()) {
            replies.add(RestReplies.of(new Failed(new StorageException(kind, Effect.UNKNOWN, "x"))));
        }
        return replies;
    }

    @Test
    void anAnswerOfReadinessIsAStatusWhateverTheReason() throws Exception {
        for (Reply reply : List.of(
                RestReplies.OK,
                RestReplies.DRAINING,
                RestReplies.DRAINED,
                RestReplies.unavailable("no \"fence\" \u00e9"))) {
            ApiDocument.published().expectFits("StatusResponse", new String(reply.body(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void theDocumentHasTheVersionOfTheProduct() throws Exception {
        String pom = Files.readString(Repository.file("pom.xml"));
        String document = Files.readString(Repository.file("protocol-docs/openapi.json"));
        Matcher version = Pattern.compile("<version>([^<]+)</version>").matcher(pom);
        assertThat(version.find()).isTrue();
        assertThat(document).contains("\"version\": \"" + version.group(1) + "\"");
    }
}
