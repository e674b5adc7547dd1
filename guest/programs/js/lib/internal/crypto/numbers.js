// crypto/numbers: arithmetic of public keys, and primes.
'use strict';

const { argType, coded, outOfRange } = require('internal/errors');
const validate = require('internal/validators');
const { toBytes, toNumber } = require('internal/crypto/der');

const mod = (a, b) => ((a % b) + b) % b;

function invert(number, modulus) {
    let [a, b, x, u] = [mod(number, modulus), modulus, 0n, 1n];
    while (a !== 0n) {
        const q = b / a;
        [a, b, x, u] = [b % a, a, u, x - q * u];
    }
    return mod(x, modulus);
}

// base ** exponent % modulus, four bits at a time
function power(base, exponent, modulus) {
    if (modulus === 1n) return 0n;
    const table = [1n];
    for (let i = 1; i < 16; i++) table.push(table[i - 1] * base % modulus);
    let result = 1n;
    for (const digit of exponent.toString(16)) {
        for (let i = 0; i < 4; i++) result = result * result % modulus;
        const at = parseInt(digit, 16);
        if (at) result = result * table[at] % modulus;
    }
    return result;
}

// A private key's own operation, by its two primes.
function secretPower(number, { n, d, p, q, dp, dq, qi }) {
    if (!p || !q) return power(number, d, n);
    const a = power(number % p, dp, p), b = power(number % q, dq, q);
    return b + q * mod((a - b) * qi, p);
}

const small = [2n];
for (let n = 3n; n < 1000n; n += 2n) if (small.every(p => n % p !== 0n)) small.push(n);

function isProbablePrime(number, rounds = 8) {
    if (number < 2n) return false;
    for (const p of small) if (number % p === 0n) return number === p;
    if (number < 1000000n) return true;
    return require('npm/micro_rsa').isProbablePrime(number, rounds);
}

function randomBits(bits) {
    const bytes = Buffer.alloc(Math.ceil(bits / 8));
    native.text.random(bytes);
    return toNumber(bytes) & ((1n << BigInt(bits)) - 1n);
}

// A prime of so many bits. high: its two first bits are set; add, rem: prime % add is rem.
function primeOf(bits, { high = false, safe = false, add, rem, fits } = {}) {
    const top = 1n << BigInt(bits - 1), first = high && bits > 1 ? top | (top >> 1n) : top;
    for (;;) {
        let candidate = randomBits(bits) | first;
        if (add !== undefined) {
            candidate = candidate - mod(candidate, add) + (rem ?? (safe ? 3n : 1n));
            if (candidate.toString(2).length !== bits) continue;
        } else if (bits > 2 || high) {
            candidate |= 1n;
        }
        if (fits && !fits(candidate)) continue;
        if (isProbablePrime(candidate) && (!safe || isProbablePrime((candidate - 1n) / 2n))) return candidate;
    }
}

// ---------------------------------------------------------------- crypto.generatePrime() and checkPrime()

const kinds = ['ArrayBuffer', 'TypedArray', 'Buffer', 'DataView', 'bigint'];
function toBig(value, name) {
    if (typeof value === 'bigint') {
        if (value < 0n) throw outOfRange(name, '>= 0', value);
        return value;
    }
    if (ArrayBuffer.isView(value)) return toNumber(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    if (require('internal/types').isAnyArrayBuffer(value)) return toNumber(Buffer.from(value));
    throw argType(name, kinds, value);
}

function made(size, options) {
    validate.int32(size, 'size', 1);
    validate.object(options, 'options');
    const { safe = false, bigint = false } = options;
    let { add, rem } = options;
    validate.boolean(safe, 'options.safe');
    validate.boolean(bigint, 'options.bigint');
    if (add !== undefined) {
        add = toBig(add, 'options.add');
        if (add.toString(2).length > size) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'invalid options.add');
    }
    if (rem !== undefined) {
        rem = toBig(rem, 'options.rem');
        if (add !== undefined && add <= rem) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'invalid options.rem');
    }
    return () => {
        const prime = primeOf(size, { safe, add, rem: add === undefined ? undefined : rem, high: add === undefined && size > 2 });
        return bigint ? prime : Uint8Array.from(toBytes(prime, Math.ceil(size / 8))).buffer;
    };
}

const generatePrimeSync = (size, options = {}) => made(size, options)();
function generatePrime(size, options, callback) {
    if (typeof options === 'function') [options, callback] = [{}, options];
    validate.function(callback, 'callback');
    require('internal/timers').complete(callback, undefined, made(size, options)());
}

function checked(candidate, options) {
    const number = toBig(candidate, 'candidate');
    validate.object(options, 'options');
    validate.int32(options.checks ?? 0, 'options.checks', 0);
    return isProbablePrime(number, options.checks || 20);
}
const checkPrimeSync = (candidate, options = {}) => checked(candidate, options);
function checkPrime(candidate, options, callback) {
    if (typeof options === 'function') [options, callback] = [{}, options];
    toBig(candidate, 'candidate');
    validate.function(callback, 'callback');
    require('internal/timers').complete(callback, undefined, checked(candidate, options));
}

module.exports = { mod, invert, power, secretPower, isProbablePrime, primeOf, generatePrime, generatePrimeSync, checkPrime, checkPrimeSync };
