package io.flockgate.gateway.net;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A TLS engine that limits what a client can make it keep. On the connection's event loop, except
 * the tasks of the handshake.
 *
 * <ol>
 *   <li>Each {@link ClientHello} is checked before the JDK's engine reads it.
 *   <li>A handshake with too many records is ended, because the engine accepts some warnings
 *       without limit. So is one with too many bytes, because certificates take up to fifty times
 *       their bytes, and are read before {@link ClientTrust} refuses them.
 *   <li>After the handshake, a connection with too many records without data is ended: key updates,
 *       alerts, and empty records. Each costs as much as a request, and the answer to a key update
 *       waits in memory until the client reads. The number allowed grows with the number of records
 *       with data, because some clients update their keys every 2²⁴ records.
 * </ol>
 */
final class DataEngine extends SSLEngine {
    /** Clients send at most five, and more only for a long chain of certificates. */
    static final int MAX_HANDSHAKE_RECORDS = 64;

    /** Twice as much as a {@link ClientHello} and an ordinary chain of three certificates. */
    static final int MAX_HANDSHAKE_BYTES = 16 * 1024;

    private static final int MAX_WITHOUT_DATA = 8;

    /** This many records with data make up for one without. */
    private static final int WITH_DATA = 256;

    private final SSLEngine engine;
    private boolean counting;
    private int handshakeRecords;
    private int handshakeBytes;
    private int withoutData;
    private int withData;

    DataEngine(SSLEngine engine) {
        this.engine = engine;
    }

    /** Begins to count, because the handshake is complete. */
    void count() {
        counting = true;
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
        checkHello(source);
        return counted(engine.unwrap(source, targets, offset, length));
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer target) throws SSLException {
        checkHello(source);
        return counted(engine.unwrap(source, target));
    }

    /** There is a handshake session as soon as the engine has answered with a ServerHello. */
    private void checkHello(ByteBuffer source) throws SSLException {
        if (counting || !source.hasRemaining() || engine.getHandshakeSession() != null) {
            return;
        }
        String fault = ClientHello.fault(source);
        if (fault != null) {
            throw new SSLException(fault);
        }
    }

    private SSLEngineResult counted(SSLEngineResult result) throws SSLException {
        if (result.bytesConsumed() == 0) {
            return result;
        }
        if (!counting) {
            handshakeBytes += result.bytesConsumed();
            if (++handshakeRecords > MAX_HANDSHAKE_RECORDS || handshakeBytes > MAX_HANDSHAKE_BYTES) {
                throw new SSLException("too many records or bytes in a handshake");
            }
            return result;
        }
        if (result.bytesProduced() == 0) {
            withoutData++;
        } else if (withoutData > 0 && ++withData == WITH_DATA) {
            withData = 0;
            withoutData--;
        }
        if (withoutData > MAX_WITHOUT_DATA) {
            throw new SSLException("too many records without data");
        }
        return result;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        return engine.wrap(sources, offset, length, target);
    }

    @Override
    public @Nullable Runnable getDelegatedTask() {
        return engine.getDelegatedTask();
    }

    @Override
    public void closeInbound() throws SSLException {
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        return engine.isInboundDone();
    }

    @Override
    public void closeOutbound() {
        engine.closeOutbound();
    }

    @Override
    public boolean isOutboundDone() {
        return engine.isOutboundDone();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return engine.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return engine.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        engine.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return engine.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return engine.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        engine.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return engine.getSession();
    }

    @Override
    public @Nullable SSLSession getHandshakeSession() {
        return engine.getHandshakeSession();
    }

    @Override
    public void beginHandshake() throws SSLException {
        engine.beginHandshake();
    }

    @Override
    public SSLEngineResult.HandshakeStatus getHandshakeStatus() {
        return engine.getHandshakeStatus();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        engine.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return engine.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        engine.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return engine.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        engine.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return engine.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        engine.setEnableSessionCreation(flag);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return engine.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return engine.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        engine.setSSLParameters(parameters);
    }

    @Override
    public @Nullable String getApplicationProtocol() {
        return engine.getApplicationProtocol();
    }

    @Override
    public @Nullable String getHandshakeApplicationProtocol() {
        return engine.getHandshakeApplicationProtocol();
    }

    @Override
    public void setHandshakeApplicationProtocolSelector(
            @Nullable BiFunction<SSLEngine, List<String>, String> selector) {
        engine.setHandshakeApplicationProtocolSelector(selector);
    }

    @Override
    public @Nullable BiFunction<SSLEngine, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return engine.getHandshakeApplicationProtocolSelector();
    }
}
