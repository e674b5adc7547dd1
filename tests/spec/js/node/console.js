//// format
console.log('%s is %d years and %i, %f', 'Bob', 42.5, 42.9, 1.25, 'extra', { a: 1 });
console.log('%j %o %O', { a: 1 }, [1], { b: { c: { d: {} } } });
console.log('%c styled', 'color: red'); console.log('100%', 5, '%s'); console.log('%%', '%d', 1); console.log('%s', null, undefined, 5n, Symbol('x'));
console.log('%s %s', { a: { b: { c: 1 } } }, [1, [2, [3]]]); console.log('%s', class A {}, function f() {}, new Date(0), new Error('e').message);
console.log('%d', '42', '%i', 'x'); console.log('a', 'b', 1, 'c'); console.log(1, '%s', 'x'); console.log('%x', 1); console.log('%s');
console.log('%s', { toString() { return 'custom'; } }, String(Object.create(null, { toString: { value: () => 'own' } })));
console.log('%d %d %d', 5n, 'abc', {}); console.log('%f', 'x'); console.log('%i', 3.99, 7n); console.log('%s', -0, [-0]); console.log('%o', function foo() {});
console.log(); console.log(''); console.log(' '); console.log(undefined); console.log(null, undefined);
//// table
console.table([{ a: 1, b: 'x' }, { a: 2, c: true }]); console.table([[1, 2], [3, 4]]); console.table([1, 'two', { three: 3 }]);
console.table({ r1: { c: 1 }, r2: { c: 2 } }); console.table(new Map([['a', 1], ['b', { x: 1 }]])); console.table(new Set([1, 'x']));
console.table([{ name: 'Alice', age: 30 }, { name: 'Bob', age: 25 }], ['name']); console.table(5); console.table('str'); console.table([]); console.table(null);
console.table([{ a: { b: 1 }, c: [1, 2, 3, 4, 5] }]); console.table([{ n: '日本', m: 1 }]);
//// groups-and-counts
console.group('Group'); console.log('inside'); console.group(); console.info('deep\nlines'); console.groupEnd(); console.groupEnd(); console.log('outside');
console.count(); console.count(); console.count('x'); console.countReset(); console.count(); console.assert(true, 'no'); console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
console.dirxml([1, 2]); console.debug('debug');
console.groupCollapsed('c'); console.log({ a: 1, b: [1, 2] }); console.groupEnd(); console.groupEnd(); console.log('end');
