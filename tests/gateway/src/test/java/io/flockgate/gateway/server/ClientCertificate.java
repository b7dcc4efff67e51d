package io.flockgate.gateway.server;

import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Presents one certificate to every server, whichever authorities the server requests. */
final class ClientCertificate extends X509ExtendedKeyManager {
    private static final String ALIAS = "client";

    private final X509Certificate[] chain;
    private final PrivateKey key;

    private ClientCertificate(X509Certificate[] chain, PrivateKey key) {
        this.chain = chain;
        this.key = key;
    }

    /** From test files, with an elliptic-curve key. */
    static ClientCertificate of(String certificate, String key) throws Exception {
        try (var pem = ClientCertificate.class.getResourceAsStream("/test-only-tls/" + certificate)) {
            X509Certificate[] chain = CertificateFactory.getInstance("X.509").generateCertificates(pem).stream()
                    .map(X509Certificate.class::cast)
                    .toArray(X509Certificate[]::new);
            return new ClientCertificate(chain, key(key));
        }
    }

    private static PrivateKey key(String file) throws Exception {
        String base64 = Files.readString(Path.of(TlsClients.file(file))).replaceAll("-----[^\n]*-----|\\s", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
    }

    @Override
    public String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return ALIAS;
    }

    @Override
    public String chooseEngineClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return ALIAS;
    }

    @Override
    public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
        return new String[] {ALIAS};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return chain.clone();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return key;
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
