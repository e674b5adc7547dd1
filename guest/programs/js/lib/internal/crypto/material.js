// crypto/material: public and private keys as numbers and bytes, and the forms in which they are written.
//
// RSA: {kind: 'rsa' or 'rsa-pss', n, e, and of a private key d, p, q, dp, dq, qi, of a PSS key perhaps pss}.
// Elliptic curves: {kind: 'ec', curve, point, secret?}; the others {kind: 'ed25519', point, secret?}.
'use strict';

const der = require('internal/crypto/der');
const { coded, argValue } = require('internal/errors');
const { sequence, octets, bits, nothing, integer, oid, explicit, read, numberOf, oidOf, toBytes, toNumber } = der;

const RSA = '1.2.840.113549.1.1.1', PSS = '1.2.840.113549.1.1.10', EC = '1.2.840.10045.2.1';
const curveIds = { prime256v1: '1.2.840.10045.3.1.7', secp384r1: '1.3.132.0.34', secp521r1: '1.3.132.0.35', secp256k1: '1.3.132.0.10' };
const otherIds = { x25519: '1.3.101.110', x448: '1.3.101.111', ed25519: '1.3.101.112', ed448: '1.3.101.113' };
const PBES2 = '1.2.840.113549.1.5.13', PBKDF2 = '1.2.840.113549.1.5.12';
const ciphers = { 'aes-128-cbc': '2.16.840.1.101.3.4.1.2', 'aes-192-cbc': '2.16.840.1.101.3.4.1.22', 'aes-256-cbc': '2.16.840.1.101.3.4.1.42' };
const macs = { '1.2.840.113549.2.7': 'sha1', '1.2.840.113549.2.9': 'sha256', '1.2.840.113549.2.10': 'sha384', '1.2.840.113549.2.11': 'sha512' };
const hashIds = { sha1: '1.3.14.3.2.26', sha224: '2.16.840.1.101.3.4.2.4', sha256: '2.16.840.1.101.3.4.2.1', sha384: '2.16.840.1.101.3.4.2.2', sha512: '2.16.840.1.101.3.4.2.3' };
const nameOf = (table, id) => Object.keys(table).find(name => table[name] === id);

const curves = {
    prime256v1: () => require('npm/noble_curves').p256, secp384r1: () => require('npm/noble_curves').p384,
    secp521r1: () => require('npm/noble_curves').p521, secp256k1: () => require('npm/noble_curves').secp256k1,
    ed25519: () => require('npm/noble_curves').ed25519, x25519: () => require('npm/noble_curves').x25519,
    ed448: () => require('npm/noble_curves').ed448, x448: () => require('npm/noble_curves').x448,
};
const jwkCurves = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521', secp256k1: 'secp256k1', ed25519: 'Ed25519', x25519: 'X25519', ed448: 'Ed448', x448: 'X448' };
const synonyms = { 'P-256': 'prime256v1', secp256r1: 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
const curveName = name => synonyms[name] ?? (Object.hasOwn(curveIds, name) ? name : undefined);
const engine = material => curves[material.kind === 'ec' ? material.curve : material.kind]();

const unsupported = () => Object.assign(new Error('error:1E08010C:DECODER routines::unsupported'), {
    library: 'DECODER routines', reason: 'unsupported', code: 'ERR_OSSL_UNSUPPORTED',
});

function toPublic(material) {
    const { d, p, q, dp, dq, qi, secret, ...rest } = material;
    return rest;
}

// ---------------------------------------------------------------- reading

const rsaPublic = ({ items: [n, e] }, kind = 'rsa') => ({ kind, n: numberOf(n), e: numberOf(e) });
function rsaPrivate({ items }, kind = 'rsa') {
    const [, n, e, d, p, q, dp, dq, qi] = items.map(numberOf);
    return { kind, n, e, d, p, q, dp, dq, qi };
}
const bitBytes = value => value.body.subarray(1);

function ecPrivate({ items }, curve) {
    const parameters = items.find(value => value.tag === 0xa0), point = items.find(value => value.tag === 0xa1);
    curve ??= nameOf(curveIds, oidOf(parameters.items[0]));
    if (curve === undefined) throw unsupported();
    const secret = Buffer.from(items[1].body);
    const made = { kind: 'ec', curve, secret };
    return { ...made, point: point ? Buffer.from(bitBytes(point.items[0])) : Buffer.from(engine(made).getPublicKey(secret, false)) };
}

// What a PSS key is bound to.
function pssOf(parameters) {
    if (!parameters || parameters.items.length === 0) return undefined;
    const made = { hash: 'sha1', mgf: 'sha1', salt: 20 };
    for (const { tag, items } of parameters.items) {
        if (tag === 0xa0) made.hash = nameOf(hashIds, oidOf(items[0].items[0]));
        else if (tag === 0xa1) made.mgf = nameOf(hashIds, oidOf(items[0].items[1].items[0]));
        else if (tag === 0xa2) made.salt = Number(numberOf(items[0]));
    }
    return made;
}

function fromSpki({ items: [{ items: [id, parameters] }, key] }) {
    const name = oidOf(id);
    if (name === RSA) return rsaPublic(read(bitBytes(key)));
    if (name === PSS) return { ...rsaPublic(read(bitBytes(key)), 'rsa-pss'), pss: pssOf(parameters) };
    if (name === EC) {
        const curve = nameOf(curveIds, oidOf(parameters));
        if (curve === undefined) throw unsupported();
        const point = curves[curve]().Point.fromBytes(bitBytes(key));
        return { kind: 'ec', curve, point: Buffer.from(point.toBytes(false)) };
    }
    const kind = nameOf(otherIds, name);
    if (kind === undefined) throw unsupported();
    return { kind, point: Buffer.from(bitBytes(key)) };
}

function fromPkcs8({ items: [, { items: [id, parameters] }, key] }) {
    const name = oidOf(id);
    if (name === RSA) return rsaPrivate(read(key.body));
    if (name === PSS) return { ...rsaPrivate(read(key.body), 'rsa-pss'), pss: pssOf(parameters) };
    if (name === EC) return ecPrivate(read(key.body), nameOf(curveIds, oidOf(parameters)));
    const kind = nameOf(otherIds, name);
    if (kind === undefined) throw unsupported();
    const secret = Buffer.from(read(key.body).body);
    return { kind, secret, point: Buffer.from(curves[kind]().getPublicKey(secret)) };
}

function decrypt({ items: [{ items: [id, parameters] }, data] }, passphrase) {
    if (oidOf(id) !== PBES2) throw unsupported();
    const [kdf, cipher] = parameters.items;
    if (oidOf(kdf.items[0]) !== PBKDF2) throw unsupported();
    const [salt, count, ...rest] = kdf.items[1].items, mac = rest.find(value => value.tag === 0x30);
    const name = nameOf(ciphers, oidOf(cipher.items[0]));
    if (name === undefined) throw unsupported();
    const crypto = require('crypto');
    const key = crypto.pbkdf2Sync(passphrase, salt.body, Number(numberOf(count)), Number(name.slice(4, 7)) / 8, mac ? macs[oidOf(mac.items[0])] : 'sha1');
    const way = crypto.createDecipheriv(name, key, cipher.items[1].body);
    try {
        return Buffer.concat([way.update(data.body), way.final()]);
    } catch {
        throw Object.assign(new Error('error:1C800064:Provider routines::bad decrypt'), { library: 'Provider routines', reason: 'bad decrypt', code: 'ERR_OSSL_BAD_DECRYPT' });
    }
}

// A block of an old encrypted form: its key is an MD5 of the passphrase.
function decryptOld(headers, bytes, passphrase) {
    const [, name, iv] = /DEK-Info: ([\w-]+),([0-9A-Fa-f]+)/.exec(headers) ?? [];
    if (name === undefined) throw unsupported();
    const crypto = require('crypto'), salt = Buffer.from(iv, 'hex'), { keyLength } = crypto.getCipherInfo(name.toLowerCase());
    let key = Buffer.alloc(0), last = Buffer.alloc(0);
    while (key.length < keyLength) {
        last = crypto.createHash('md5').update(last).update(passphrase).update(salt.subarray(0, 8)).digest();
        key = Buffer.concat([key, last]);
    }
    const way = crypto.createDecipheriv(name.toLowerCase(), key.subarray(0, keyLength), salt);
    return Buffer.concat([way.update(bytes), way.final()]);
}

function passed(passphrase) {
    if (passphrase === undefined || passphrase === null) throw coded(TypeError, 'ERR_MISSING_PASSPHRASE', 'Passphrase required for encrypted key');
    return typeof passphrase === 'string' ? Buffer.from(passphrase) : passphrase;
}

function fromDer(bytes, type, passphrase) {
    const value = read(bytes);
    switch (type) {
    case 'spki': return fromSpki(value);
    case 'pkcs1': return value.items.length > 2 ? rsaPrivate(value) : rsaPublic(value);
    case 'sec1': return ecPrivate(value);
    case 'pkcs8': return value.items[0].tag === 0x30 ? fromPkcs8(read(decrypt(value, passed(passphrase)))) : fromPkcs8(value);
    default: throw unsupported();
    }
}

const labels = { 'PUBLIC KEY': 'spki', 'RSA PUBLIC KEY': 'pkcs1', 'PRIVATE KEY': 'pkcs8', 'ENCRYPTED PRIVATE KEY': 'pkcs8', 'RSA PRIVATE KEY': 'pkcs1', 'EC PRIVATE KEY': 'sec1' };

// A key in PEM; `secret` says whether a private one is wanted.
function fromText(text, secret, passphrase) {
    const found = der.fromPem(text);
    const type = found && labels[found.label];
    if (type === undefined || (secret && !found.label.includes('PRIVATE'))) throw unsupported();
    try {
        const bytes = found.headers.includes('ENCRYPTED') ? decryptOld(found.headers, found.bytes, passed(passphrase)) : found.bytes;
        return fromDer(bytes, type, passphrase);
    } catch (error) {
        if (error.code?.startsWith('ERR_')) throw error;
        throw unsupported();
    }
}

function fromJwk(jwk) {
    const bytes = name => Buffer.from(jwk[name], 'base64url'), number = name => toNumber(bytes(name));
    const invalid = () => coded(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK data');
    if (jwk.kty === 'RSA') {
        const names = ['n', 'e', ...jwk.d === undefined ? [] : ['d', 'p', 'q', 'dp', 'dq', 'qi']];
        if (names.some(name => typeof jwk[name] !== 'string')) throw invalid();
        return { kind: 'rsa', ...Object.fromEntries(names.map(name => [name, number(name)])) };
    }
    if (jwk.kty !== 'EC' && jwk.kty !== 'OKP') throw argValue('key.kty', jwk.kty, "must be one of: 'RSA', 'EC', 'OKP'");
    const curve = nameOf(jwkCurves, jwk.crv);
    if (curve === undefined || typeof jwk.x !== 'string') throw invalid();
    const secret = jwk.d === undefined ? {} : { secret: bytes('d') };
    if (jwk.kty === 'OKP') return { kind: curve, point: bytes('x'), ...secret };
    return { kind: 'ec', curve, point: Buffer.concat([Buffer.from([4]), bytes('x'), bytes('y')]), ...secret };
}

// ---------------------------------------------------------------- writing

const hashOf = name => sequence(oid(hashIds[name]), nothing);
function identifier(material) {
    switch (material.kind) {
    case 'rsa': return sequence(oid(RSA), nothing);
    case 'rsa-pss': {
        if (!material.pss) return sequence(oid(PSS));
        const { hash, mgf, salt } = material.pss;
        return sequence(oid(PSS), sequence(explicit(0, hashOf(hash)), explicit(1, sequence(oid('1.2.840.113549.1.1.8'), hashOf(mgf))), explicit(2, integer(salt))));
    }
    case 'ec': return sequence(oid(EC), oid(curveIds[material.curve]));
    default: return sequence(oid(otherIds[material.kind]));
    }
}
const rsaPublicDer = ({ n, e }) => sequence(integer(n), integer(e));
const rsaPrivateDer = ({ n, e, d, p, q, dp, dq, qi }) => sequence(...[0n, n, e, d, p, q, dp, dq, qi].map(integer));
const sec1Der = ({ curve, secret, point }, withCurve) =>
    sequence(integer(1), octets(secret), ...withCurve ? [explicit(0, oid(curveIds[curve]))] : [], explicit(1, bits(point)));

const inner = material => (material.n !== undefined ? rsaPrivateDer(material) : material.kind === 'ec' ? sec1Der(material, false) : octets(material.secret));
const toSpki = material => sequence(identifier(material), bits(material.n !== undefined ? rsaPublicDer(material) : material.point));
const toPkcs8 = material => sequence(integer(0), identifier(material), octets(inner(material)));

function encrypt(bytes, name, passphrase) {
    const id = ciphers[name.toLowerCase()], crypto = require('crypto');
    if (id === undefined) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
    const salt = crypto.randomBytes(16), iv = crypto.randomBytes(16);
    const key = crypto.pbkdf2Sync(passphrase, salt, 2048, Number(name.slice(4, 7)) / 8, 'sha256');
    const way = crypto.createCipheriv(name, key, iv);
    return sequence(sequence(oid(PBES2), sequence(
        sequence(oid(PBKDF2), sequence(octets(salt), integer(2048), sequence(oid('1.2.840.113549.2.9'), nothing))),
        sequence(oid(id), octets(iv)))), octets(Buffer.concat([way.update(bytes), way.final()])));
}

function write(material, isPrivate, { type, format, cipher, passphrase }) {
    const form = {
        spki: ['PUBLIC KEY', () => toSpki(material)], pkcs8: ['PRIVATE KEY', () => toPkcs8(material)], sec1: ['EC PRIVATE KEY', () => sec1Der(material, true)],
        pkcs1: isPrivate ? ['RSA PRIVATE KEY', () => rsaPrivateDer(material)] : ['RSA PUBLIC KEY', () => rsaPublicDer(material)],
    }[type];
    let [label, make] = form, bytes = make();
    if (cipher !== undefined && cipher !== null && type === 'pkcs8') {
        bytes = encrypt(bytes, cipher, passed(passphrase));
        label = 'ENCRYPTED PRIVATE KEY';
    }
    return format === 'der' ? bytes : der.toPem(label, bytes);
}

function toJwk(material, isPrivate) {
    const text = bytes => Buffer.from(bytes).toString('base64url'), number = value => text(toBytes(value));
    const { kind, point } = material;
    if (kind === 'rsa-pss') throw coded(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE', 'Unsupported JWK Key Type.');
    if (kind === 'rsa') {
        const names = isPrivate ? ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] : ['n', 'e'];
        return { kty: 'RSA', ...Object.fromEntries(names.map(name => [name, number(material[name])])) };
    }
    if (kind !== 'ec') return { crv: jwkCurves[kind], ...isPrivate ? { d: text(material.secret) } : {}, x: text(point), kty: 'OKP' };
    const half = (point.length - 1) / 2;
    return { kty: 'EC', x: text(point.subarray(1, half + 1)), y: text(point.subarray(half + 1)), crv: jwkCurves[material.curve], ...isPrivate ? { d: text(material.secret) } : {} };
}

module.exports = { curves, curveIds, curveName, engine, fromText, fromDer, fromJwk, toPublic, toJwk, write, unsupported };
