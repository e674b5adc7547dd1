//// generated
// patterns from a grammar, texts over a small alphabet: matches, captures and indices
let seed = 7; const rnd = n => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n };
const pick = a => a[rnd(a.length)];
let names = 0;
function atom(d) { switch (rnd(d > 0 ? 9 : 5)) {
 case 0: case 1: return pick(['a', 'b', 'c']); case 2: return pick(['.', '[ab]', '[^a]', '\\w', 'é']); case 3: return 'a'; case 4: return pick(['b', '\\b', '(?:)', 'ab']);
 case 5: return `(${alt(d - 1)})`; case 6: return `(?:${alt(d - 1)})`; case 7: return `(?${pick(['=', '!', '<=', '<!'])}${alt(d - 1)})`; case 8: return `(?:${alt(d - 1)})`; } }
function term(d) { const a = atom(d); if (/^\(\?<?[=!]|^\\b|^$/.test(a)) return a; return a + pick(['', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{3,}', '*?', '+?', '??', '{1,2}?', '{4,6}']) }
function seq(d) { let s = ''; for (let n = 1 + rnd(4); n--;) s += term(d); return s }
function alt(d) { return rnd(3) ? seq(d) : `${seq(d)}|${seq(d)}` }
let out = 0;
for (let i = 0; i < 400; i++) {
  const src = pick(['', '', '^']) + alt(3) + pick(['', '', '$', 'c', 'd']); const fl = pick(['', 'i', 'u', 'd', 'y']);
  let re; try { re = new RegExp(src, fl) } catch (e) { console.log(i, src, 'X'); continue }
  const res = [];
  for (let k = 0; k < 3; k++) { let s = ''; for (let n = rnd(18); n--;) s += pick(['a', 'a', 'b', 'a', 'ab', 'c']); s += pick(['', 'x', 'b']); re.lastIndex = 0;
    const m = re.exec(s); res.push(m ? [m.index, ...m].join('|') : null); }
  console.log(i, src, fl, JSON.stringify(res));
}
