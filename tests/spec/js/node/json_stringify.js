// JSON.stringify(): what is plain data, and what only looks like it.

//// plain_data
const cases = [{},
    {a:1},
    [1,2,[3]],
    "q\"\\\n\u0001é€",
    {b:undefined,c(){},d:Symbol(),e:null,f:NaN,g:-0,h:1.5,i:1e21,j:true},
    [undefined,()=>1,Symbol()],
    {1:2,a:3,0:4},
    {'4294967294':1,z:2},
    Object.create(null),
    Object.assign(Object.create({x:1}),{y:2}),
    new Date(0),
    [,1],
    Object.create({toJSON(){return 5}}),
    {toJSON(){return 6}},
    {get x(){return 7}},
    new (class A{x=1;#p=2}),
    new Map,
    [new Number(3),
    new String('s'),
    Object(true)],
    {"kéy€":1,
    "a\tb":2,
    "é":3},
    "\ud800",
    'x'.repeat(300)+'ü',
    {n:{n:{n:[{}]}}},
    -2147483648,
    2147483647,
    123456789012,
    undefined,
    ()=>1,
    null,
    {[Symbol('k')]:1},
    Object.defineProperty({v:1},'h',{value:1,enumerable:false}),
    new Proxy({a:1},{}),
    new Uint8Array(2),
    /x/,
    new Error('m')];
for (const value of cases) console.log(JSON.stringify(value));

//// arrays_and_depth
const list = [1, 2, 3];
list.foo = 1;
console.log(JSON.stringify(list));
list.length = 5;
console.log(JSON.stringify(list));
const deep = {};
for (let i = 0, at = deep; i < 100; i++) at = at.x = {};
console.log(JSON.stringify(deep).length);
const removed = { a: 1, b: 2, c: 3 };
delete removed.b;
console.log(JSON.stringify(removed));
removed.b = 4;
console.log(JSON.stringify(removed));
let text = 'a';
for (let i = 0; i < 15; i++) text += text;
console.log(JSON.stringify({ text }).length, JSON.stringify(`p${text.slice(3)}`).length);
console.log(JSON.stringify(Object.freeze({ q: [Object.freeze([1])] })));

//// refused
const circle = {};
circle.self = circle;
for (const value of [circle, { a: 1n }, [[circle]]]) {
    try {
        JSON.stringify(value);
    } catch (error) {
        console.log(error.message);
    }
}

//// changed_prototypes
const show = value => console.log(JSON.stringify(value));
Object.prototype.toJSON = () => 'object';
show({ a: 1 });
show([1]);
delete Object.prototype.toJSON;
Array.prototype.toJSON = () => 'array';
show({ a: [1] });
delete Array.prototype.toJSON;
Object.prototype.inherited = 1;
show({ a: 1 });
delete Object.prototype.inherited;
String.prototype.toJSON = () => 'string';
show({ a: 'x' });
show(Object('y'));
Array.prototype[1] = 'hole';
show([0, , 2]);
delete Array.prototype[1];

//// replacer_and_indent
console.log(JSON.stringify({ a: [1, { b: 2 }] }, null, 2));
console.log(JSON.stringify({ a: 1, b: 2 }, ['b']), JSON.stringify({ a: 1 }, undefined, undefined));
