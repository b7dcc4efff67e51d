package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class ReasonsTest {
    @Test
    void anUnknownHostIsNoRefusedConnection() {
        // As the JDK's HTTP client reports them: both without a message.
        IOException refused = new ConnectException();
        IOException unknown = new ConnectException();
        Throwable unused = unknown.initCause(new UnresolvedAddressException());

        assertThat(Reasons.of(refused)).isEqualTo("connection refused");
        assertThat(Reasons.of(new ConnectException("Connection refused"))).isEqualTo("connection refused");
        assertThat(Reasons.of(unknown)).isEqualTo("the name of its host is not known");
    }

    @Test
    void aProgrammingErrorIsNotQuoted() {
        assertThat(Reasons.of(new NullPointerException("Cannot invoke x because y is null")))
                .isEqualTo("an unexpected error, which is the cause");
    }

    @Test
    void aServerThatAcceptsAndStaysSilentIsConnected() {
        assertThat(Reasons.of(new SocketTimeoutException("Read timed out"))).isEqualTo("no answer in time");
        assertThat(Reasons.of(new SocketTimeoutException("Connect timed out"))).isEqualTo("no connection in time");
    }

    @Test
    void theWrongPortIsNamedInPlaceOfTheWordsOfTheJdk() {
        IOException plain = new SSLException("Unsupported or unrecognized SSL message");
        IOException closed = new IOException("HTTP/1.1 header parser received no bytes", new EOFException("EOF"));
        IOException ended = new SocketException("Unexpected end of file from server");

        IOException plainToHttps = new SSLException("Unrecognized SSL message, plaintext connection?");
        IOException line = new ProtocolException("Invalid status line: \"error\"");

        assertThat(Reasons.of(plain)).isEqualTo("it does not speak TLS at this port");
        assertThat(Reasons.of(plainToHttps)).isEqualTo("it does not speak TLS at this port");
        assertThat(Reasons.of(line)).isEqualTo("it does not speak HTTP at this port");
        assertThat(Reasons.of(closed))
                .isEqualTo(Reasons.of(ended))
                .isEqualTo("the connection was closed without an answer. If that persists: is this the HTTP port, and"
                        + " does it speak TLS?");
    }

    /** As the JDK wraps them in the failure of a handshake. */
    @Test
    void aCertificateThatIsNotAcceptedHasOneOfThreeReasons() {
        assertThat(Reasons.of(handshake(new CertificateExpiredException("NotAfter: …"))))
                .isEqualTo("its certificate has expired");
        assertThat(Reasons.of(handshake(new CertificateNotYetValidException("NotBefore: …"))))
                .isEqualTo("its certificate is not valid yet, by this host's clock");
        assertThat(Reasons.of(
                        handshake(new CertificateException("No subject alternative DNS name matching gate-1 found."))))
                .isEqualTo("its certificate is not for this host");
        assertThat(Reasons.of(handshake(new CertPathBuilderException("unable to find valid certification path"))))
                .isEqualTo("its certificate is not trusted");
    }

    private static SSLHandshakeException handshake(Throwable cause) {
        SSLHandshakeException failure = new SSLHandshakeException(String.valueOf(cause.getMessage()));
        Throwable unused = failure.initCause(new CertificateException("validation failed", cause));
        return failure;
    }
}
