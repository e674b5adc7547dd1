//// plain-calls-nest-to-ten-thousand
const depth = f => {
    let n = 0;
    try {
        f(() => ++n);
    } catch (error) {
        if (!(error instanceof RangeError) || error.message !== 'Maximum call stack size exceeded') throw error;
    }
    return n;
};
const f = n => n === 0 ? 0 : 1 + f(n - 1);
console.log(f(9990));
const memo = new Map();
const fib = n => n < 2n ? n : memo.get(n) ?? (memo.set(n, fib(n - 1n) + fib(n - 2n)), memo.get(n));
console.log(String(fib(1000n)).length);
console.log(depth(c => {
    const each = () => (c(), [1].map(each));
    each();
}) > 3000);
console.log(depth(c => {
    const wait = async () => (c(), await wait());
    wait().catch(() => {});
}) > 3000);
//> 9990
//> 209
//> true
//> true

//// any-depth-is-a-range-error
const kinds = {
    getter: () => ({ get x() { return this.x; } }).x,
    proxy: () => new Proxy({}, { get: (t, k, r) => r[k] }).x,
    toString: () => `${{ toString() { return `${this}`; } }}`,
    sort() { const f = () => ([2, 1].sort(f), 0); f(); },
    constructor_() { class A { constructor() { new A(); } } new A(); },
    derived() { class A {} class B extends A { constructor() { super(); new B(); } } new B(); },
    generator() { function* g() { yield* g(); } [...g()]; },
    replace() { const f = () => 'a'.replace(/a/, f); f(); },
    parse: () => JSON.parse('['.repeat(1e6)),
    reviver() { const f = () => JSON.parse('[1]', f); f(); },
    stringify() { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a); },
    toJSON() { const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o); },
    source: () => eval('('.repeat(1e5)),
    nested() { globalThis.f = () => eval('f()'); f(); },
    flat() { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity); },
    join() { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.join(); },
    iterator() { const o = { [Symbol.iterator]: () => [...o] }; [...o]; },
};
for (const [name, f] of Object.entries(kinds)) {
    try {
        f();
    } catch (error) {
        if (error.name !== 'RangeError') console.log(name, error.name, error.message);
    }
}
console.log('alive');
//> alive
