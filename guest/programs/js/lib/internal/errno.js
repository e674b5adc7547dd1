// errno: numbers, names and libuv's texts of all errors that Node knows, beside those that a sandbox has
// (internal/errors).
'use strict';

const { names, texts } = require('internal/errors');

// What comes from the network, other systems and libuv itself: number, name, text.
const others = [
    [98, 'EADDRINUSE', 'address already in use'], [99, 'EADDRNOTAVAIL', 'address not available'],
    [97, 'EAFNOSUPPORT', 'address family not supported'], [3000, 'EAI_ADDRFAMILY', 'address family not supported'],
    [3001, 'EAI_AGAIN', 'temporary failure'], [3002, 'EAI_BADFLAGS', 'bad ai_flags value'], [3013, 'EAI_BADHINTS', 'invalid value for hints'],
    [3003, 'EAI_CANCELED', 'request canceled'], [3004, 'EAI_FAIL', 'permanent failure'], [3005, 'EAI_FAMILY', 'ai_family not supported'],
    [3006, 'EAI_MEMORY', 'out of memory'], [3007, 'EAI_NODATA', 'no address'], [3008, 'EAI_NONAME', 'unknown node or service'],
    [3009, 'EAI_OVERFLOW', 'argument buffer overflow'], [3014, 'EAI_PROTOCOL', 'resolved protocol is unknown'],
    [3010, 'EAI_SERVICE', 'service not available for socket type'], [3011, 'EAI_SOCKTYPE', 'socket type not supported'],
    [114, 'EALREADY', 'connection already in progress'], [4080, 'ECHARSET', 'invalid Unicode character'],
    [103, 'ECONNABORTED', 'software caused connection abort'], [111, 'ECONNREFUSED', 'connection refused'],
    [104, 'ECONNRESET', 'connection reset by peer'], [89, 'EDESTADDRREQ', 'destination address required'],
    [113, 'EHOSTUNREACH', 'host is unreachable'], [106, 'EISCONN', 'socket is already connected'], [90, 'EMSGSIZE', 'message too long'],
    [100, 'ENETDOWN', 'network is down'], [101, 'ENETUNREACH', 'network is unreachable'], [105, 'ENOBUFS', 'no buffer space available'],
    [64, 'ENONET', 'machine is not on the network'], [92, 'ENOPROTOOPT', 'protocol not available'], [107, 'ENOTCONN', 'socket is not connected'],
    [88, 'ENOTSOCK', 'socket operation on non-socket'], [71, 'EPROTO', 'protocol error'], [93, 'EPROTONOSUPPORT', 'protocol not supported'],
    [91, 'EPROTOTYPE', 'protocol wrong type for socket'], [108, 'ESHUTDOWN', 'cannot send after transport endpoint shutdown'],
    [4094, 'UNKNOWN', 'unknown error'], [4095, 'EOF', 'end of file'], [112, 'EHOSTDOWN', 'host is down'], [121, 'EREMOTEIO', 'remote I/O error'],
    [4028, 'EFTYPE', 'inappropriate file type or format'], [84, 'EILSEQ', 'illegal byte sequence'],
    [94, 'ESOCKTNOSUPPORT', 'socket type not supported'], [61, 'ENODATA', 'no data available'], [49, 'EUNATCH', 'protocol driver not attached'],
];
// Numbers of Linux that libuv has no text for.
const bare = { EBADMSG: 74, ECHILD: 10, EDEADLK: 35, EDOM: 33, EDQUOT: 122, EIDRM: 43, EINPROGRESS: 115, EMULTIHOP: 72, ENETRESET: 102, ENOEXEC: 8, ENOLCK: 37, ENOLINK: 67, ENOMSG: 42, ENOSR: 63, ENOSTR: 60, EOPNOTSUPP: 95, ESTALE: 116, ETIME: 62, EWOULDBLOCK: 11 };

// {number: [name, text]} of what libuv names.
function all() {
    const table = new Map(Object.entries(names).map(([number, name]) => [-Number(number), [name, texts[name]]]));
    for (const name of Object.keys(bare)) table.delete(-bare[name]);
    for (const [number, name, text] of others) table.set(-number, [name, text]);
    return table;
}

// {name: number}, in the order of their names, as os.constants.errno has them.
function constants() {
    const found = { ...bare };
    for (const [number, [name]] of all()) if (number > -1000) found[name] = -number;
    return Object.fromEntries(Object.entries(found).filter(([name]) => !unnumbered.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
}
const unnumbered = new Set(['ENONET', 'ESHUTDOWN', 'EHOSTDOWN', 'EREMOTEIO', 'ESOCKTNOSUPPORT', 'EUNATCH']);

module.exports = { all, constants };
