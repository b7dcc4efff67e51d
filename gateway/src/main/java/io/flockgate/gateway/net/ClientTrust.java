package io.flockgate.gateway.net;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Decides whether the certificate of a client is trusted. The JDK keeps every certificate that a
 * client presents as long as the connection lasts, also those that its decision does not depend on,
 * and compares the names in them in quadratic time. Therefore a certificate that no authority has
 * signed is refused before the JDK looks at it. Thread safe.
 *
 * <ol>
 *   <li>A chain has at most {@value #MAX_CERTIFICATES} certificates.
 *   <li>Each certificate is valid now, and so is the authority that ends the chain. The JDK trusts
 *       an authority even after it has expired.
 *   <li>The last one is one of the trusted authorities, or signed by one. Each other one is signed
 *       by the next, which belongs to an authority. They are verified from the last to the first,
 *       so that only keys of authorities verify.
 *   <li>For such a chain, the JDK's own trust manager decides.
 * </ol>
 */
final class ClientTrust implements X509TrustManager {
    static final int MAX_CERTIFICATES = 4;

    private final List<X509Certificate> authorities;
    private final X509TrustManager jdk;

    private ClientTrust(List<X509Certificate> authorities, X509TrustManager jdk) {
        this.authorities = List.copyOf(authorities);
        this.jdk = jdk;
    }

    /**
     * Trusts the certificates that these authorities have signed.
     *
     * @throws GeneralSecurityException if the JDK does not accept the authorities
     */
    static ClientTrust of(List<X509Certificate> authorities) throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
        for (int i = 0; i < authorities.size(); i++) {
            store.setCertificateEntry("authority-" + i, authorities.get(i));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager own) {
                return new ClientTrust(authorities, own);
            }
        }
        throw new GeneralSecurityException("this Java has no trust manager for certificates");
    }

    /** Refuses a chain that authorities have not signed completely. */
    private void check(X509Certificate[] chain) throws CertificateException {
        if (chain.length == 0 || chain.length > MAX_CERTIFICATES) {
            throw new CertificateException("a chain of " + chain.length + " certificates");
        }
        for (X509Certificate each : chain) {
            each.checkValidity();
        }
        if (!isOfAuthority(chain[chain.length - 1])) {
            throw new CertificateException("no trusted authority has signed the end of the chain");
        }
        for (int i = chain.length - 2; i >= 0; i--) {
            X509Certificate signer = chain[i + 1];
            boolean authority = signer.getBasicConstraints() >= 0 || authorities.contains(signer);
            if (!authority || !isSignedBy(chain[i], signer)) {
                throw new CertificateException("a certificate of the chain is not signed by the next");
            }
        }
    }

    /** Whether the certificate is that of an authority, or signed by one. */
    private boolean isOfAuthority(X509Certificate certificate) {
        return authorities.stream()
                .filter(ClientTrust::isValidNow)
                .anyMatch(each -> each.equals(certificate) || isSignedBy(certificate, each));
    }

    private static boolean isValidNow(X509Certificate authority) {
        try {
            authority.checkValidity();
            return true;
        } catch (CertificateException e) {
            return false;
        }
    }

    private static boolean isSignedBy(X509Certificate certificate, X509Certificate signer) {
        try {
            certificate.verify(signer.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain);
        jdk.checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("clients only");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return jdk.getAcceptedIssuers();
    }
}
