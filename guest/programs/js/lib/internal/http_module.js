// http_module: what require('http') and require('https') have alike.
'use strict';

const { coded, NO_NETWORK } = require('internal/errors');
const tool = require('internal/http_client');
const { validateHeaderName, validateHeaderValue } = require('internal/http_headers');
const validate = require('internal/validators');

function noTls() {
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `a server of https is not available: ${NO_NETWORK}`);
}

// Whether a request goes out by the tool, and not to a server of this process.
function leaves(input, given) {
    const { options } = require('internal/http_request').read(input, given);
    if (options.socketPath || options.createConnection || !require('internal/network').isThere()) return false;
    if (options.agent && options.agent.createConnection !== require('internal/http_agent').Agent.prototype.createConnection) return false;
    return !require('internal/loopback').isHeard(`${options.hostname || options.host || 'localhost'}`, options.port || options.defaultPort || 80);
}

class HttpRequest extends tool.ClientRequest {
    constructor(input, options, callback) {
        super('http', input, options, callback);
    }
}
class HttpsRequest extends tool.ClientRequest {
    constructor(input, options, callback) {
        super('https', input, options, callback);
    }
}
for (const Class of [HttpRequest, HttpsRequest]) Object.defineProperty(Class, 'name', { value: 'ClientRequest' });

const getter = request => function get(url, options, callback) {
    const asked = request(url, options, callback);
    asked.end();
    return asked;
};

function https() {
    const { Agent: Plain } = require('internal/http_agent');
    // Connections are the host's, which uses them again: what an agent is asked for changes nothing.
    class Agent extends Plain {
        protocol = 'https:';
        defaultPort = 443;
    }
    function request(...args) {
        return new HttpsRequest(...args);
    }
    return { Agent, globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }), Server: noTls, createServer: noTls, get: getter(request), request };
}

function http() {
    const { ClientRequest } = require('internal/http_request');
    const { IncomingMessage } = require('internal/http_incoming');
    const { OutgoingMessage } = require('internal/http_outgoing');
    const { Server, ServerResponse, _connectionListener } = require('internal/http_server');
    const agents = require('internal/http_agent');
    function request(url, options, callback) {
        return leaves(url, options) ? new HttpRequest(url, options, callback) : new ClientRequest(url, options, callback);
    }
    return {
        _connectionListener, METHODS: require('internal/http_parser').METHODS, STATUS_CODES: require('internal/http_status').STATUS_CODES,
        Agent: agents.Agent, ClientRequest, IncomingMessage, OutgoingMessage, Server, ServerResponse,
        createServer: function createServer(options, listener) {
            return new Server(options, listener);
        },
        validateHeaderName, validateHeaderValue, get: getter(request), request,
        setMaxIdleHTTPParsers(max) {
            validate.integer(max, 'max', 1);
        },
        get maxHeaderSize() {
            return 16384;
        },
        get globalAgent() {
            return agents.globalAgent;
        },
        set globalAgent(agent) {
            agents.globalAgent = agent;
        },
    };
}

module.exports = { made: scheme => (scheme === 'https' ? https() : http()) };
