package io.flockgate.gateway.net;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Finds the name of a client in its certificate: the first DNS name of the alternative names, or
 * else the common name (CN).
 */
public final class CertificateName {
    private static final int DNS_NAME = 2;

    private CertificateName() {}

    /**
     * The name in the certificate that the peer has presented and the handshake has verified; empty
     * without a certificate or a name.
     *
     * @param session null for a connection without TLS
     */
    public static String of(@Nullable SSLSession session) {
        if (session == null) {
            return "";
        }
        try {
            Certificate leaf = session.getPeerCertificates()[0];
            return leaf instanceof X509Certificate certificate ? of(certificate) : "";
        } catch (SSLPeerUnverifiedException none) {
            return "";
        }
    }

    static String of(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                if (name.get(0) instanceof Integer type && type == DNS_NAME && name.get(1) instanceof String dns) {
                    return dns;
                }
            }
            return commonName(certificate.getSubjectX500Principal());
        } catch (CertificateParsingException | NamingException unreadable) {
            return "";
        }
    }

    /** The most specific common name; empty if it is not text, or not the only one in its RDN. */
    private static String commonName(X500Principal subject) throws NamingException {
        for (Rdn part : mostSpecificFirst(subject)) {
            Attribute name = part.toAttributes().get("CN");
            if (name != null) {
                return name.size() == 1 && name.get() instanceof String text ? text : "";
            }
        }
        return "";
    }

    private static List<Rdn> mostSpecificFirst(X500Principal subject) throws InvalidNameException {
        return new LdapName(subject.getName(X500Principal.RFC2253)).getRdns().reversed();
    }
}
