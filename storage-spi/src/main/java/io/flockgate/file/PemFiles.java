package io.flockgate.file;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PEM files of certificates and keys. The messages of failures do not name the file. */
public final class PemFiles {
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern PKCS8 = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");

    private PemFiles() {}

    /**
     * The content of a regular file of up to 1 MiB.
     *
     * @throws IOException if the file cannot be read or is longer
     */
    public static byte[] read(Path file) throws IOException {
        EndingFiles.requireRegular(file);
        byte[] content = EndingFiles.read(file, MAX_BYTES + 1);
        if (content.length > MAX_BYTES) {
            throw new IOException("it is longer than 1 MiB");
        }
        return content;
    }

    /**
     * The authorities to trust, as {@link #certificates} reads them.
     *
     * @throws IOException also if the file cannot be read
     */
    public static List<X509Certificate> authorities(Path file) throws IOException {
        return certificates(read(file));
    }

    /** Whether a file has an encrypted private key, in PKCS#8 or in the older form. */
    public static boolean hasEncryptedKey(byte[] content) {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        return text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED");
    }

    /** The private key in PKCS#8 for EdDSA; empty if the file has something else. */
    public static Optional<PrivateKey> edDsaKey(byte[] content) {
        Matcher key = PKCS8.matcher(new String(content, StandardCharsets.ISO_8859_1));
        if (!key.find()) {
            return Optional.empty();
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(key.group(1));
            return Optional.of(KeyFactory.getInstance("EdDSA").generatePrivate(new PKCS8EncodedKeySpec(encoded)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * The certificates of a file: at least one, and nothing else.
     *
     * @throws IOException if the file contains no certificate or anything else
     */
    public static List<X509Certificate> certificates(byte[] content) throws IOException {
        List<X509Certificate> found = new ArrayList<>();
        try {
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(content))) {
                found.add((X509Certificate) each);
            }
        } catch (CertificateException e) {
            throw new IOException("it contains something other than certificates", e);
        }
        if (found.isEmpty()) {
            throw new IOException("it contains no certificate");
        }
        return found;
    }
}
