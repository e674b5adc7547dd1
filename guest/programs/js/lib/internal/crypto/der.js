// crypto/der: ASN.1 as keys have it, and PEM around it.
'use strict';

const TAGS = { integer: 2, bits: 3, octets: 4, null: 5, oid: 6, sequence: 0x30 };

function item(tag, ...parts) {
    const body = Buffer.concat(parts), size = body.length;
    if (size < 128) return Buffer.concat([Buffer.from([tag, size]), body]);
    const digits = Buffer.from(size.toString(16).padStart(size > 0xffffff ? 8 : size > 0xffff ? 6 : size > 0xff ? 4 : 2, '0'), 'hex');
    return Buffer.concat([Buffer.from([tag, 128 | digits.length]), digits, body]);
}

const toBytes = (number, size) => {
    let hex = number.toString(16);
    if (hex.length % 2) hex = `0${hex}`;
    return Buffer.from(size === undefined ? hex : hex.padStart(size * 2, '0'), 'hex');
};
const toNumber = bytes => (bytes.length ? BigInt(`0x${Buffer.from(bytes).toString('hex')}`) : 0n);

const sequence = (...parts) => item(TAGS.sequence, ...parts);
const octets = bytes => item(TAGS.octets, bytes);
const bits = bytes => item(TAGS.bits, Buffer.from([0]), bytes);
const nothing = item(TAGS.null);
function integer(number) {
    const bytes = toBytes(BigInt(number));
    return bytes[0] & 128 ? item(TAGS.integer, Buffer.from([0]), bytes) : item(TAGS.integer, bytes);
}
function oid(text) {
    const [first, second, ...rest] = text.split('.').map(Number);
    const bytes = [first * 40 + second];
    for (const arc of rest) {
        const digits = [arc & 127];
        for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift(128 | (left & 127));
        bytes.push(...digits);
    }
    return item(TAGS.oid, Buffer.from(bytes));
}
const explicit = (number, ...parts) => item(0xa0 | number, ...parts);

// One value: {tag, body, end}; of a constructed one also its items.
function read(bytes, at = 0) {
    const broken = () => new RangeError('not enough data');
    if (at + 2 > bytes.length) throw broken();
    const tag = bytes[at];
    let size = bytes[at + 1], start = at + 2;
    if (size & 128) {
        const count = size & 127;
        if (count === 0 || count > 4 || start + count > bytes.length) throw broken();
        size = bytes.readUIntBE(start, count);
        start += count;
    }
    const end = start + size;
    if (end > bytes.length) throw broken();
    const body = bytes.subarray(start, end), items = [];
    if (tag & 0x20) for (let place = start; place < end;) {
        const inner = read(bytes, place);
        items.push(inner);
        place = inner.end;
    }
    return { tag, body, items, end };
}

const numberOf = value => toNumber(value.body);
function oidOf({ body }) {
    const arcs = [Math.floor(body[0] / 40), body[0] % 40];
    for (let i = 1, arc = 0; i < body.length; i++) {
        arc = arc * 128 + (body[i] & 127);
        if (!(body[i] & 128)) {
            arcs.push(arc);
            arc = 0;
        }
    }
    return arcs.join('.');
}

const toPem = (label, bytes, headers = '') =>
    `-----BEGIN ${label}-----\n${headers}${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`;

// {label, bytes, headers} of the first block; undefined when there is none.
function fromPem(text) {
    const found = /-----BEGIN ([A-Z0-9 ]+)-----\s*\n((?:[\w-]+: .*\n)*)\s*([A-Za-z0-9+/=\s]+?)-----END \1-----/.exec(text.replaceAll('\r', ''));
    return found ? { label: found[1], headers: found[2], bytes: Buffer.from(found[3], 'base64') } : undefined;
}

module.exports = { sequence, octets, bits, nothing, integer, oid, explicit, item, read, numberOf, oidOf, toBytes, toNumber, toPem, fromPem };
