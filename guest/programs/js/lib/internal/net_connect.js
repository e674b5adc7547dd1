// net_connect: where a socket is to connect to: arguments, names, and the connection itself.
'use strict';

const { argType, argValue, coded, NO_NETWORK } = require('internal/errors');
const validate = require('internal/validators');
const { isIP } = require('internal/addresses');
const loopback = require('internal/loopback');

// What is not this process itself is said to be out of reach.
function failure(code, address, port) {
    const error = loopback.failure('connect', code, address, port);
    if (code === 'ECONNREFUSED') error.message += ' - in a sandbox a program reaches the servers of its own process only';
    else if (code === 'ENETUNREACH') error.message += ` - ${NO_NETWORK}`;
    return error;
}

function check(options) {
    if (options.path !== undefined && options.path !== null) return void validate.string(options.path, 'options.path');
    const { port, localAddress, localPort, lookup, hints } = options;
    if (port === undefined && options.path == null) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
    if (localAddress && isIP(localAddress) === 0) throw coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${localAddress}`);
    if (localPort) validate.number(localPort, 'options.localPort');
    if (typeof port !== 'number' && typeof port !== 'string') throw argType('options.port', ['number', 'string'], port);
    require('net')._checkPort(port);
    if (options.autoSelectFamily !== undefined && options.autoSelectFamily !== null) validate.boolean(options.autoSelectFamily, 'options.autoSelectFamily');
    if (options.host && isIP(options.host)) return;
    if (hints !== undefined && hints !== 0 && (typeof hints !== 'number' || (hints & ~(8 | 16 | 32)) !== 0)) throw argValue('hints', hints);
    if (lookup !== undefined && lookup !== null) validate.function(lookup, 'options.lookup');
}

// A socket's streams begin again, for a socket that is connected another time.
function renew(socket) {
    if (!socket.destroyed) return;
    socket._undestroy();
    socket._handle = null;
    delete socket.write;
}

function connect(socket, options, callback) {
    check(options);
    if (callback !== null) socket.once('connect', callback);
    if (socket.write !== socket.constructor.prototype.write) socket.write = Object.getPrototypeOf(socket).write;
    renew(socket);
    socket.connecting = true;
    if (options.path != null) {
        attach(socket, { path: require('path').resolve(options.path), given: options.path });
        return socket;
    }
    const port = options.port | 0, host = options.host || 'localhost';
    if (isIP(host)) process.nextTick(() => socket.connecting && attach(socket, { port, address: host }, options));
    else lookUp(socket, host, port, options);
    return socket;
}

function lookUp(socket, host, port, options) {
    const family = options.family === 6 || options.family === 4 ? options.family : 0;
    const all = family === 0 && (options.autoSelectFamily ?? require('net').getDefaultAutoSelectFamily()) === true;
    const asked = { family: options.family, hints: options.hints || 0, ...(all ? { all: true } : {}) };
    if (!options.lookup && host === 'localhost' && family === 0 && !loopback.isHeard('127.0.0.1', port) && loopback.isHeard('::1', port)) asked.family = 6;
    socket._host = host;
    (options.lookup ?? require('dns').lookup)(host, asked, (error, found, kind) => {
        const list = Array.isArray(found) ? found : [{ address: found, family: kind }];
        if (error || list.length === 0) socket.emit('lookup', error, undefined, undefined, host);
        else for (const { address, family } of list) socket.emit('lookup', error, address, family, host);
        if (!socket.connecting) return;
        if (error) return void process.nextTick(() => socket.destroy(error));
        const usable = list.filter(({ address }) => isIP(address) !== 0);
        if (usable.length === 0)
            return void process.nextTick(() => socket.destroy(coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${list[0]?.address}`)));
        const wrong = list.find(({ family }) => family !== 4 && family !== 6);
        if (wrong) return void process.nextTick(() => socket.destroy(Object.assign(coded(RangeError, 'ERR_INVALID_ADDRESS_FAMILY', `Invalid address family: ${wrong.family} ${host}:${port}`), { host, port })));
        const heard = usable.find(({ address }) => loopback.isHeard(address, port)) ?? usable[0];
        attach(socket, { port, address: heard.address }, options);
    });
}

function attach(socket, place, { localPort, blockList } = {}) {
    socket._unrefTimer();
    if (blockList?.check(place.address, `ipv${isIP(place.address)}`))
        return void socket.destroy(coded(Error, 'ERR_IP_BLOCKED', `IP(${place.address}) is blocked by net.BlockList`));
    if (place.address) socket.emit('connectionAttempt', place.address, place.port, isIP(place.address));
    const { end, code } = loopback.connect(place, localPort, () => connected(socket));
    if (code !== undefined) {
        const error = failure(code, place.given ?? place.address, place.port);
        socket._handle = null;
        return void require('internal/timers').arrive(() => socket.connecting && socket.destroy(error));
    }
    socket._handle = end;
    end.owner = socket;
    end.setOnRead(got => require('net')._arrived(socket, got));
    return undefined;
}

function connected(socket) {
    if (socket.destroyed) return;
    socket.connecting = false;
    socket._unrefTimer();
    if (!socket.readable && socket.readableEnded === false) socket.push(null);
    socket.emit('connect');
    socket.emit('ready');
    if (socket.readable && !socket.isPaused()) socket.read(0);
}

module.exports = { connect };
