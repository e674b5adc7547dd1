// http_module: what require('http') and require('https') have alike.
'use strict';

const { EventEmitter } = require('events');
const { coded } = require('internal/errors');
const { ClientRequest, IncomingMessage, OutgoingMessage } = require('internal/http_client');
const { validateHeaderName, validateHeaderValue } = require('internal/http_headers');

const METHODS = 'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'.split(' ');

// Connections are the host's, which uses them again: what an agent is asked for changes nothing.
class Agent extends EventEmitter {
    constructor(options = {}) {
        super();
        this.options = { path: null, ...options };
        const { keepAlive = false, keepAliveMsecs = 1000, maxSockets = Infinity, maxFreeSockets = 256, scheduling = 'lifo', maxTotalSockets = Infinity } = options;
        Object.assign(this, { keepAlive, keepAliveMsecs, maxSockets, maxFreeSockets, scheduling, maxTotalSockets, requests: {}, sockets: {}, freeSockets: {} });
    }
    destroy() {}
}

function noServer() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'a sandbox has no network: nothing can reach a server in it');
}

function made(scheme) {
    class OwnAgent extends Agent {
        protocol = `${scheme}:`;
        defaultPort = scheme === 'https' ? 443 : 80;
    }
    Object.defineProperty(OwnAgent, 'name', { value: 'Agent' });
    class OwnRequest extends ClientRequest {
        constructor(input, options, callback) {
            super(scheme, input, options, callback);
        }
    }
    Object.defineProperty(OwnRequest, 'name', { value: 'ClientRequest' });
    const request = (input, options, callback) => new OwnRequest(input, options, callback);
    const get = (input, options, callback) => {
        const asked = request(input, options, callback);
        asked.end();
        return asked;
    };
    const of = { Agent: OwnAgent, globalAgent: new OwnAgent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }), Server: noServer, createServer: noServer, get, request };
    if (scheme === 'https') return of;
    const { STATUS_CODES } = require('internal/http_status');
    return {
        ...of, METHODS, STATUS_CODES, ClientRequest: OwnRequest, IncomingMessage, OutgoingMessage, ServerResponse: noServer,
        maxHeaderSize: 16384, validateHeaderName, validateHeaderValue, setMaxIdleHTTPParsers() {},
    };
}

module.exports = { made };
