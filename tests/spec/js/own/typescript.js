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
