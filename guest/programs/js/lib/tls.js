// tls: it loads where a package asks for it; what would need the network refuses.
'use strict';

const { coded, NO_NETWORK } = require('internal/errors');
const net = require('net');

const refuse = name => ({
    [name]() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `tls.${name}() is not available: ${NO_NETWORK}`);
    },
}[name]);

module.exports = {
    CLIENT_RENEG_LIMIT: 3, CLIENT_RENEG_WINDOW: 600, DEFAULT_CIPHERS: '', DEFAULT_ECDH_CURVE: 'auto', DEFAULT_MIN_VERSION: 'TLSv1.2', DEFAULT_MAX_VERSION: 'TLSv1.3',
    rootCertificates: Object.freeze([]), getCiphers: () => [],
    TLSSocket: class TLSSocket extends net.Socket {}, Server: class Server extends net.Server {}, SecureContext: refuse('SecureContext'),
};
for (const name of ['checkServerIdentity', 'connect', 'convertALPNProtocols', 'createSecureContext', 'createSecurePair', 'createServer'])
    module.exports[name] = refuse(name);
