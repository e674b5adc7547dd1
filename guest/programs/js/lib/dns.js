// dns: a sandbox has no network, so no name has an address but what is an address already. Arguments are checked
// as everywhere; then lookups fail as where no server answers.
'use strict';

const { argType, argValue, coded } = require('internal/errors');
const validate = require('internal/validators');
const { isIP, isIPv4 } = require('internal/addresses');

const codes = {
    NODATA: 'ENODATA', FORMERR: 'EFORMERR', SERVFAIL: 'ESERVFAIL', NOTFOUND: 'ENOTFOUND', NOTIMP: 'ENOTIMP', REFUSED: 'EREFUSED',
    BADQUERY: 'EBADQUERY', BADNAME: 'EBADNAME', BADFAMILY: 'EBADFAMILY', BADRESP: 'EBADRESP', CONNREFUSED: 'ECONNREFUSED',
    TIMEOUT: 'ETIMEOUT', EOF: 'EOF', FILE: 'EFILE', NOMEM: 'ENOMEM', DESTRUCTION: 'EDESTRUCTION', BADSTR: 'EBADSTR', BADFLAGS: 'EBADFLAGS',
    NONAME: 'ENONAME', BADHINTS: 'EBADHINTS', NOTINITIALIZED: 'ENOTINITIALIZED', LOADIPHLPAPI: 'ELOADIPHLPAPI',
    ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS', CANCELLED: 'ECANCELLED',
};
const NO_NETWORK = 'there is no network in a sandbox; call a tool instead';
const HINTS = { ADDRCONFIG: 32, ALL: 16, V4MAPPED: 8 };
const ORDERS = ['verbatim', 'ipv4first', 'ipv6first'];

function failed(code, syscall, hostname) {
    return Object.assign(new Error(`${syscall} ${code} ${hostname} - ${NO_NETWORK}`), { errno: code === 'ENOTFOUND' ? -3008 : undefined, code, syscall, hostname });
}

// ---------------------------------------------------------------- lookup

let order = 'verbatim';

function lookupOptions(options, hostname) {
    let { hints = 0, family = 0, all = false } = {};
    if (typeof options === 'number') {
        validate.oneOf(options, 'family', [0, 4, 6]);
        return { hints, family: options, all };
    }
    if (options?.hints != null) {
        validate.number(options.hints, 'options.hints');
        hints = options.hints >>> 0;
        if ((hints & ~(HINTS.ADDRCONFIG | HINTS.ALL | HINTS.V4MAPPED)) !== 0) throw argValue('hints', options.hints);
    }
    if (options?.family != null) {
        family = { IPv4: 4, IPv6: 6 }[options.family] ?? options.family;
        validate.oneOf(family, 'options.family', [0, 4, 6]);
    }
    if (options?.all != null) {
        validate.boolean(options.all, 'options.all');
        all = options.all;
    }
    if (options?.verbatim != null) validate.boolean(options.verbatim, 'options.verbatim');
    if (options?.order != null) validate.oneOf(options.order, 'options.order', ORDERS);
    return { hints, family, all, hostname };
}

let warned = false;
function noName(hostname) {
    if (warned) return;
    warned = true;
    process.emitWarning(`The provided hostname "${hostname}" is not a valid hostname, and is supported in the dns module solely for compatibility.`, 'DeprecationWarning', 'DEP0118');
}

// {address, family}, a list of them with `all`, or an error.
function found(hostname, { family, all }) {
    if (!hostname) {
        noName(hostname);
        return all ? [] : { address: null, family: family === 6 ? 6 : 4 };
    }
    let kind = isIP(hostname), address = hostname;
    if (kind === 0 && /^localhost\.?$/i.test(hostname)) [kind, address] = family === 6 ? [6, '::1'] : [4, '127.0.0.1'];
    if (kind === 0) return failed('ENOTFOUND', 'getaddrinfo', hostname);
    return all ? [{ address, family: kind }] : { address, family: kind };
}

function lookup(hostname, options, callback) {
    if (hostname) validate.string(hostname, 'hostname');
    if (typeof options === 'function') [callback, options] = [options, undefined];
    else if (options !== null && typeof options !== 'object' && typeof options !== 'number' && options !== undefined) throw argType('options', ['integer', 'object'], options);
    validate.Function(callback, 'callback');
    options = lookupOptions(options, hostname);
    const answer = found(hostname, options);
    if (answer instanceof Error) process.nextTick(callback, answer);
    else if (options.all) process.nextTick(callback, null, answer);
    else process.nextTick(callback, null, answer.address, answer.family);
    return {};
}

function checkService(address, port) {
    if (isIP(address) === 0) throw argValue('address', address);
    require('net')._checkPort(port);
}

function lookupService(address, port, callback, ...more) {
    if (callback === undefined && more.length === 0 && port === undefined) throw validate.missing('address', 'port', 'callback');
    checkService(address, port);
    validate.Function(callback, 'callback');
    process.nextTick(callback, failed('ENOTFOUND', 'getnameinfo', address));
    return {};
}

// ---------------------------------------------------------------- resolvers

const queries = {
    resolve4: 'A', resolve6: 'AAAA', resolveAny: 'ANY', resolveCaa: 'CAA', resolveCname: 'CNAME', resolveMx: 'MX', resolveNaptr: 'NAPTR',
    resolveNs: 'NS', resolvePtr: 'PTR', resolveSoa: 'SOA', resolveSrv: 'SRV', resolveTxt: 'TXT',
};
const byType = Object.fromEntries(Object.entries(queries).map(([name, type]) => [type, name]));
const queryName = type => `query${type[0]}${type.slice(1).toLowerCase()}`;
const badAddress = text => coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${text}`);

// '1.2.3.4', '1.2.3.4:5353', '[::1]:5353': as getServers() shows it.
function server(text, i) {
    validate.string(text, `servers[${i}]`);
    if (isIP(text) !== 0) return text;
    const wrapped = /^\[([^[\]]*)\](?::(\d+))?/.exec(text);
    if (wrapped && isIP(wrapped[1]) === 6) return wrapped[2] && wrapped[2] !== '53' ? `[${wrapped[1]}]:${wrapped[2]}` : wrapped[1];
    const plain = /^([\d.]+):(\d+)$/.exec(text);
    if (plain && isIPv4(plain[1])) return plain[2] === '53' ? plain[1] : text;
    throw badAddress(text);
}

class ResolverBase {
    #servers = [];
    constructor(options) {
        const { timeout = -1, tries = 4, maxTimeout } = options ?? {};
        validate.int32(timeout, 'options.timeout', -1);
        validate.int32(tries, 'options.tries', 1);
        if (maxTimeout !== undefined) validate.uint32(maxTimeout, 'options.maxTimeout');
    }
    cancel() {}
    getServers() {
        return [...this.#servers];
    }
    setServers(servers) {
        validate.array(servers, 'servers');
        this.#servers = servers.map(server);
    }
    setLocalAddress(ipv4, ipv6) {
        validate.string(ipv4, 'ipv4');
        if (ipv6 !== undefined) validate.string(ipv6, 'ipv6');
        const kind = isIP(ipv4);
        if (kind === 0 || (ipv6 !== undefined && isIP(ipv6) !== (kind === 4 ? 6 : 4))) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', kind !== 0 && isIP(ipv6) === kind ? `Cannot specify two IPv${kind} addresses.` : 'Invalid IP address.');
    }
}

function reverseName(ip) {
    validate.string(ip, 'name');
    if (isIP(ip) === 0) return Object.assign(new Error(`getHostByAddr EINVAL ${ip}`), { errno: -22, code: 'EINVAL', syscall: 'getHostByAddr', hostname: ip });
    return failed('ECONNREFUSED', 'getHostByAddr', ip);
}

function rrtypeName(rrtype) {
    const name = Object.hasOwn(byType, rrtype) ? byType[rrtype] : undefined;
    if (name === undefined) throw argValue('rrtype', rrtype);
    return name;
}

class Resolver extends ResolverBase {
    resolve(hostname, rrtype, callback) {
        let name = 'resolve4';
        if (typeof rrtype === 'string') name = rrtypeName(rrtype);
        else if (typeof rrtype === 'function') callback = rrtype;
        else throw argType('rrtype', 'string', rrtype);
        return this[name](hostname, callback);
    }
    reverse(ip, callback) {
        const error = reverseName(ip);
        validate.Function(callback, 'callback');
        if (error.code === 'EINVAL') throw error;
        process.nextTick(callback, error);
        return {};
    }
}
class PromisesResolver extends ResolverBase {
    async resolve(hostname, rrtype) {
        if (rrtype !== undefined) validate.string(rrtype, 'rrtype');
        return this[rrtype === undefined ? 'resolve4' : rrtypeName(rrtype)](hostname);
    }
    async reverse(ip) {
        throw reverseName(ip);
    }
}
Object.defineProperty(PromisesResolver, 'name', { value: 'Resolver' });
for (const [name, type] of Object.entries(queries)) {
    const query = queryName(type);
    const both = {
        call(hostname, options, callback) {
            validate.string(hostname, 'name');
            if (callback === undefined) callback = options;
            validate.Function(callback, 'callback');
            process.nextTick(callback, failed('ECONNREFUSED', query, hostname));
            return {};
        },
        promise(hostname) {
            validate.string(hostname, 'name');
            return Promise.reject(failed('ECONNREFUSED', query, hostname));
        },
    };
    for (const [Class, fn] of [[Resolver, both.call], [PromisesResolver, both.promise]]) {
        Object.defineProperty(fn, 'name', { value: query, configurable: true });
        Object.defineProperty(Class.prototype, name, { value: fn, writable: true, configurable: true });
    }
}

// ---------------------------------------------------------------- both faces

const shared = new Resolver(), sharedPromises = new PromisesResolver();
const common = {
    getDefaultResultOrder: () => order,
    setDefaultResultOrder(value) {
        validate.oneOf(value, 'dnsOrder', ORDERS);
        order = value;
    },
    setServers: servers => shared.setServers(servers),
    ...codes,
    getServers: () => shared.getServers(),
};
const promises = {
    lookup(hostname, options) {
        if (hostname) validate.string(hostname, 'hostname');
        if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'number') throw argType('options', ['integer', 'object'], options);
        const answer = found(hostname, lookupOptions(options, hostname));
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    lookupService(address, port) {
        if (port === undefined) throw validate.missing('address', 'port');
        checkService(address, port);
        return Promise.reject(failed('ENOTFOUND', 'getnameinfo', address));
    },
    Resolver: PromisesResolver,
    ...common,
};
const dns = { lookup, lookupService, Resolver, ...common, ...HINTS };
const custom = Symbol.for('nodejs.util.promisify.custom');
for (const name of ['resolve', ...Object.keys(queries), 'reverse']) {
    dns[name] = shared[name].bind(shared);
    promises[name] = sharedPromises[name].bind(sharedPromises);
}
Object.defineProperty(lookup, custom, { value: promises.lookup });
Object.defineProperty(lookupService, custom, { value: async (address, port) => promises.lookupService(address, port) });
Object.defineProperty(dns, 'promises', { get: () => promises, enumerable: true, configurable: true });

module.exports = dns;
