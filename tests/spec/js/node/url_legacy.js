//// url_legacy cjs
// url.parse(), url.format() and url.resolve() of texts that are made from parts, the odd ones among them.
const url = require('url');
const schemes = ['', 'http:', 'https://', 'http://', 'HTTP://', 'file:///', 'file://', 'javascript:', 'mailto:', 'ws://', 'x-a.b+c://', 'svn+ssh://', '//', '///', 'data:', 'xmpp:', 'dot.test://', 'coap:', 'blob:', 'http:/', 'http:\\\\'];
const auths = ['', 'user@', 'u:p@', 'a%40b:c@', 'a@b@', ':@', 'user:pa$$%3a@', 'a b@'];
const hosts = ['', 'example.com', 'EXAMPLE.Com:80', 'a.b:8080', '[::1]:3000', '[FE80::1]', '127.0.0.1:', 'x_y.com', 'ünï.com', 'a^b', 'a"b', 'host:', '-a.com', 'a.b.', 'a b.com', "x.com'", 'a<b', 'h:90x', '999.1.1.1'];
const paths = ['', '/', '/a/b', '/a b', '/a;b', '/\\x', '/%zz', "/it's", '/{x}', '?q=1', '/p?q=1&r=2', '/p?q=a b#h i', '#frag', '/p#a#b', '/a?b?c', '/\t x', '/ü', '/?a=[1]&b={2}', ';x', ':y', '/x|y^z`"<>'];
let seed = 7; const rnd = n => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
const pick = a => a[rnd(a.length)];
const all = new Set(['', ' ', '.', '..', 'a', '/', '?', '#', 'a:b', 'a:b:c', 'user@x.com', 'mailto:a@b.com?subject=x', 'javascript:alert(1)', 'http:a/b', '\thttp://x\n', 'http://a.com/\t\n', ' javascript:alert("x")', 'x:1', 'http://', 'https:', 'coap:u:p@[::1]:61616/.well-known/r?n=T#c', 'git+http://u:p@h/', 'local1@domain1', 'www.example.com', 'HtTp://x.y.com;a/b/c?d=e#f g<h>i', 'http://x...y...#p', 'http://x/p/"quoted"', 'http:\\\\evil-phish\\foo.html', 'http://user:pass@-;.tld.com/path?search#frag']);
for (let i = 0; i < 40; i++) all.add(pick(schemes) + (rnd(3) ? '' : pick(auths)) + pick(hosts) + pick(paths));
const show = f => { try { return JSON.stringify(f()); } catch (e) { return `${e.name} ${e.code} ${e.message} ${e.input}`; } };
for (const u of all) {
  console.log('parse ' + JSON.stringify(u) + ' => ' + show(() => url.parse(u)));
  if (!rnd(4)) console.log('parseq ' + JSON.stringify(u) + ' => ' + show(() => url.parse(u, true, true)));
  console.log('format ' + JSON.stringify(u) + ' => ' + show(() => url.format(u)));
}
const bases = ['http://example.com/a/b/c', '/one/two/three', 'http://a/b/c/d;p?q', 'mailto:local1@domain1', 'file:///C:/x', 'http:', 'one', '', 'http://u:p@h/x?y', 'a:b/c/d', 'fred:///s//a/b/c', '.', '/x/../y'];
const rels = ['', '.', '..', '../..', '../../../g', '/x', '//h/y', '?q', '#f', 'g;x=1/../y', './g/.', '/./g', 'http:g', 'http:/p', 'mailto:a@b', 'javascript:x', 'g?y/./x', '../', 'file:///z', 'https:#h', 'h:', 'one/two', 'u@h', '//u:p@h', '\\\\x\\y', '/../z', 'x/'];
for (const b of bases) for (const r of rels.filter((_, i) => i % 2 === b.length % 2)) { console.log('resolve ' + JSON.stringify([b, r]) + ' => ' + show(() => url.resolve(b, r))); console.log('resolveO ' + JSON.stringify([b, r]) + ' => ' + show(() => url.resolveObject(b, r))); }
const objs = [{}, { protocol: 'http', host: 'a.com' }, { protocol: 'http:', hostname: 'a', port: 80, pathname: 'x' }, { hostname: '::1', protocol: 'ws' }, { host: 'a', search: 'x' }, { search: '?#' }, { query: { a: 1, b: [2, 3] } }, { pathname: '/a?b#c' }, { hash: 'x' }, { auth: 'u:p@', host: 'h' }, { slashes: true, pathname: 'x' }, { protocol: 'file', pathname: '/x' }, { protocol: 'mailto', host: 'b', auth: 'a' }, { protocol: 'javascript', pathname: 'x' }, { hostname: 'a', query: {} }, { auth: 'a b:c:d', hostname: 'h' }, { protocol: 'ftp', host: 'x', pathname: 'y', search: 'a#b', query: { z: 1 } }];
for (const o of objs) console.log('fobj ' + JSON.stringify(o) + ' => ' + show(() => url.format(o)));
for (const opt of [{ auth: false }, { fragment: false }, { search: false }, { unicode: true }, { auth: false, unicode: true, search: 0 }, {}, null, undefined]) for (const u of ['http://u:p@xn--lck1c3crb1723bpq4a.com/a?a=b#c', 'file:///x?#y', 'http://x.com']) console.log('furl ' + JSON.stringify([opt, u]) + ' => ' + show(() => url.format(new URL(u), opt)));
for (const d of ['xn--iñvalid.com', '中文.com', 'xn--fiq228c.com', 'ESPAÑOL.com', '', 'a b', 'straße.de', '1.2', 'a..b', '☕.example', '%41.com', 'foo\u00ad.com']) { console.log('toA ' + d + ' => ' + show(() => url.domainToASCII(d))); console.log('toU ' + d + ' => ' + show(() => url.domainToUnicode(d))); }
for (const p of ['/a b', 'x', '/a%b', '/a\\b', '/a\nb', '/ü?#', '/', 'a/', '/x/../y/']) console.log('p2u ' + JSON.stringify(p) + ' => ' + show(() => url.pathToFileURL(p).href.replace(/w[12]/, 'w')));
for (const p of ['file:///a%20b', 'file:///a%2Fb', 'http://x', 'file://host/x', 'file:///%zz', 'file:///x?y#z', '/x', 'file:x']) console.log('u2p ' + p + ' => ' + show(() => url.fileURLToPath(p)));
for (const u of ['http://u:p@a.com:80/x?y#z', 'https://[::1]:8443/', 'file:///x', 'mailto:x']) console.log('opts ' + u + ' => ' + show(() => url.urlToHttpOptions(new URL(u))));
