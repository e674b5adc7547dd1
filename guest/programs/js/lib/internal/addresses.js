// addresses: what is one, and lists of them that block.
'use strict';

const { coded } = require('internal/errors');
const validate = require('internal/validators');

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const V4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

const isIPv4 = text => V4.test(`${text}`);

// The eight numbers of an IPv6 address; undefined when it is none.
function groups(text) {
    text = text.replace(/%[0-9a-zA-Z-.:]+$/, '');
    const tail = /^(.*:)([\d.]+)$/.exec(text);
    if (tail && tail[2].includes('.')) {
        if (!V4.test(tail[2])) return undefined;
        const [a, b, c, d] = tail[2].split('.').map(Number);
        text = `${tail[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    }
    const halves = text.split('::');
    if (halves.length > 2) return undefined;
    const [left, right = []] = halves.map(half => (half === '' ? [] : half.split(':')));
    if (![...left, ...right].every(part => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
    const gap = 8 - left.length - right.length;
    if (halves.length === 2 ? gap < 1 : gap !== 0) return undefined;
    return [...left, ...Array(gap).fill('0'), ...right].map(part => parseInt(part, 16));
}
const isIPv6 = text => groups(`${text}`) !== undefined;
const isIP = text => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);

// An address as one number of so many bits.
function numberOf(address, family) {
    const parts = family === 'ipv4' ? address.split('.').map(Number) : groups(address);
    return parts.reduce((sum, part) => sum * (family === 'ipv4' ? 256n : 65536n) + BigInt(part), 0n);
}

// An IPv6 address in the form of RFC 5952.
function shortest(address) {
    const parts = groups(address);
    if (parts.slice(0, 5).every(part => part === 0) && parts[5] === 0xffff)
        return `::ffff:${parts[6] >> 8}.${parts[6] & 255}.${parts[7] >> 8}.${parts[7] & 255}`;
    let best = [0, 0];
    for (let i = 0; i < 8; i++) {
        let length = 0;
        while (parts[i + length] === 0) length++;
        if (length > best[1]) best = [i, length];
    }
    const words = parts.map(part => part.toString(16));
    if (best[1] < 2) return words.join(':');
    return `${words.slice(0, best[0]).join(':')}::${words.slice(best[0] + best[1]).join(':')}`;
}

class SocketAddress {
    #address;
    #family;
    #port;
    #flowlabel;
    static isSocketAddress(value) {
        return value !== null && typeof value === 'object' && #family in value;
    }
    constructor(options = {}) {
        validate.object(options, 'options');
        let { family = 'ipv4' } = options;
        if (typeof family?.toLowerCase === 'function') family = family.toLowerCase();
        if (family !== 'ipv4' && family !== 'ipv6') throw require('internal/errors').argValue('options.family', options.family);
        const { address = family === 'ipv4' ? '127.0.0.1' : '::', port = 0, flowlabel = 0 } = options;
        validate.string(address, 'options.address');
        require('net')._checkPort(port, 'options.port');
        validate.uint32(flowlabel, 'options.flowlabel');
        if (isIP(address) !== (family === 'ipv4' ? 4 : 6)) throw coded(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');
        this.#family = family;
        this.#address = family === 'ipv4' ? address : shortest(address);
        this.#port = port | 0;
        this.#flowlabel = flowlabel;
    }
    get address() {
        return this.#address;
    }
    get family() {
        return this.#family;
    }
    get port() {
        return this.#port;
    }
    get flowlabel() {
        return this.#family === 'ipv4' ? 0 : this.#flowlabel;
    }
    toJSON() {
        return { address: this.address, port: this.port, family: this.family, flowlabel: this.flowlabel };
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
        if (depth < 0) return this;
        return `SocketAddress ${require('internal/inspect').inspect(this.toJSON(), { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
    }
}

function addressOf(value, family, name) {
    if (SocketAddress.isSocketAddress(value)) return value;
    validate.string(value, name);
    validate.string(family, 'family');
    return new SocketAddress({ address: value, family });
}

const MAPPED = 0xffffn << 32n;

class BlockList {
    #rules = []; // {family, from, to, text}, the latest first
    static isBlockList(value) {
        return value !== null && typeof value === 'object' && #rules in value;
    }
    #add(family, from, to, text) {
        this.#rules.unshift({ family, from, to, text });
    }
    addAddress(address, family = 'ipv4') {
        const one = addressOf(address, family, 'address'), number = numberOf(one.address, one.family);
        this.#add(one.family, number, number, `Address: ${one.family.replace('ip', 'IP')} ${one.address}`);
    }
    addRange(start, end, family = 'ipv4') {
        const from = addressOf(start, family, 'start'), to = addressOf(end, family, 'end');
        const low = numberOf(from.address, from.family), high = numberOf(to.address, to.family);
        if (low > high) throw require('internal/errors').argValue('start', from, 'must come before end');
        this.#add(from.family, low, high, `Range: ${from.family.replace('ip', 'IP')} ${from.address}-${to.address}`);
    }
    addSubnet(network, prefix, family = 'ipv4') {
        const net = addressOf(network, family, 'network'), bits = net.family === 'ipv4' ? 32 : 128;
        validate.int32(prefix, 'prefix', 0, bits);
        const size = 1n << BigInt(bits - prefix), from = numberOf(net.address, net.family) / size * size;
        this.#add(net.family, from, from + size - 1n, `Subnet: ${net.family.replace('ip', 'IP')} ${net.address}/${prefix}`);
    }
    check(address, family = 'ipv4') {
        let one;
        if (SocketAddress.isSocketAddress(address)) one = address;
        else {
            validate.string(address, 'address');
            validate.string(family, 'family');
            try {
                one = new SocketAddress({ address, family });
            } catch {
                return false; // it is not an address: nothing blocks it
            }
        }
        const number = numberOf(one.address, one.family);
        return this.#rules.some(rule => {
            let { from, to } = rule, asked = number;
            if (rule.family !== one.family) {
                // An IPv4 address counts as the IPv6 address that stands for it, and the other way round.
                if (one.family === 'ipv4') asked = MAPPED + number;
                else [from, to] = [MAPPED + from, MAPPED + to];
            }
            return asked >= from && asked <= to;
        });
    }
    get rules() {
        return this.#rules.map(rule => rule.text);
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
        if (depth < 0) return this;
        return `BlockList ${require('internal/inspect').inspect({ rules: this.rules }, { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
    }
}

module.exports = { isIP, isIPv4, isIPv6, SocketAddress, BlockList };
