package io.flockgate.file;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Reads PEM files of certificates and keys. The messages of failures do not name the file. */
public final class PemFiles {
    private static final int MAX_BYTES = 1 << 20;

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
     * The authorities to trust: at least one certificate, and nothing else.
     *
     * @throws IOException if the file cannot be read, or contains no certificate or anything else
     */
    public static List<X509Certificate> authorities(Path file) throws IOException {
        return certificates(read(file));
    }

    private static List<X509Certificate> certificates(byte[] content) throws IOException {
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
