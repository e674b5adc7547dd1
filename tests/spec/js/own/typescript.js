//// erased-when-needed
interface User { name: string; age?: number }
type Id = string | number;
const users: User[] = [{ name: 'a', age: 1 }];
function first<T>(list: T[], id: Id = 0): T | undefined { return list[id as number]; }
const u = first<User>(users)!;
console.log(u.name as string, (<any>u).age ?? 0, users satisfies User[]);
return u;
//> a 1 [ { name: 'a', age: 1 } ]
//> {"name":"a","age":1}
//// always-in-ts ts
enum Color { Red, Green = 5, Blue }
class A { constructor(private readonly x: number, public y = 2) {} get sum(): number { return this.x + this.y; } }
abstract class B<T> { abstract m(): T; declare z: string; protected q?: number = 1; }
const f = async <T,>(v: T): Promise<T> => v;
console.log(Color.Blue, Color[0], new A(1).sum, await f(3), (B as any).name);
//> 6 Red 3 3 B
//// javascript-in-ts ts
return [1, 2].map(x => x * 2);
//> [2,4]
//// imports ts
import type { Stats } from 'fs'; import fs, { type Dirent, readFileSync } from 'fs'; import { EventEmitter } from 'node:events';
const s: Stats | null = null; console.log(typeof readFileSync, s, typeof fs.statSync); export type X = number; export const y: X = 1;
//> function null function
//// lines-stay ts
interface Long {
    a: string;
}

throw new Error('here');
//= 1
//! Error: here
//! case.ts:5:
//// wrong-in-both
let x: number = = 5;
//= 1
//! SyntaxError
//! case.js:1
//// wrong-types-are-shown-as-typescript ts
let a = 1;
let x: number = = 5;
//= 1
//! case.ts:2
//! let x: number = = 5;
//! SyntaxError
//// option
//$ --typescript
const x: number = 5; return x;
//> 5
//// generics-are-not-comparisons
const a = 1, b = 2, c = 3; console.log(a < b, b > (c)); return a<b;
//> true false
//> true
//// most-of-the-language ts
import type { Nothing } from './nothing';
const enum E { A = 'a' }
type Maybe<T> = T | null;
abstract class Shape { abstract area(): number; constructor(protected readonly name: string, public x = 1) {} describe(): string { return `${this.name} ${this.area()} ${this.x}`; } }
class Square extends Shape { private side!: number; declare foo: string; constructor(side: number) { super('sq'); this.side = side; } override area(): number { return this.side ** 2; } }
function over(a: string): string; function over(a: number): number;
function over(a: any): any { return a; }
const p = { name: 'n' } satisfies { name: string };
let v: Maybe<string> = null as any as string;
function isText(x: unknown): x is string { return typeof x === 'string'; }
declare const absent: string; declare module 'x' {}
class G<T = string> { static #n = 0; [key: string]: unknown; constructor(private readonly m?: T) {} get val(): T | undefined { return this.m; } }
const opt = (a?: number, b: string = 'd'): string => `${a ?? 'none'}${b}`;
const rest = async <T extends object>(a: T, ...more: string[]): Promise<number> => more.length;
for (const [k, x] of Object.entries<number>({ a: 1 })) console.log(k, x);
console.log(E.A, new Square(3).describe(), over(1), p, v, isText(''), new G<number>(3).val, opt(), await rest({}, 'x'), <const>['a'], p!.name);
const text = `
namespace in { a text }
`;
export const y: number = text.length;
//> a 1
//> a sq 9 1 1 { name: 'n' } null true 3 noned 1 [ 'a' ] n
//// namespaces-are-refused ts
const a: number = 1;
export namespace NS { export const y = 5; }
console.log(NS.y);
//= 1
//! case.ts:2
//! SyntaxError: TypeScript's namespace is not supported
//// jsx-is-refused ts
const x = <div>hi</div>;
//= 1
//! SyntaxError: JSX is not supported
//// decorators-are-refused ts
@sealed class A {}
//= 1
//! decorators are not supported
