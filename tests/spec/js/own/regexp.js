//// nothing-is-tried-twice
const t = (re, s) => { const m = re.exec(s); console.log(String(re), m && [m.index, ...m]) };
t(/(?:a?){30}a{30}/, 'a'.repeat(30)); t(/^(a+)+$/, 'a'.repeat(40) + 'b'); t(/(a+)+b/, 'a'.repeat(60)); t(/^(([a-z])+.)+[A-Z]([a-z])+$/, 'a'.repeat(60)); t(/(x+x+)+y/, 'x'.repeat(60)); t(/(a|aa)+$/, 'a'.repeat(60) + 'b'); t(/(.*)*z/, 'a'.repeat(50)); t(/(?=a)(a*)*b/, 'a'.repeat(50)); t(/((a?){10}){10}a{100}/, 'a'.repeat(100)); t(/^(?:(\w+)\s?)+$/, 'word '.repeat(20) + '!'); t(/(a*?)*?b|(a+)$/, 'a'.repeat(40)); t(/(?:a|a?)+$/u, 'a'.repeat(50) + '!'); t(/^(a|a|b)*(c)?d|a(a)/, 'ab'.repeat(40)); t(/([a-zA-Z0-9]+)*@x/, 'a'.repeat(50)); t(/(a{1,5}){1,9}b/, 'a'.repeat(60));
//> /(?:a?){30}a{30}/ [ 0, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' ]
//> /^(a+)+$/ null
//> /(a+)+b/ null
//> /^(([a-z])+.)+[A-Z]([a-z])+$/ null
//> /(x+x+)+y/ null
//> /(a|aa)+$/ null
//> /(.*)*z/ null
//> /(?=a)(a*)*b/ null
//> /((a?){10}){10}a{100}/ [
//>   0,
//>   'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
//>   '',
//>   ''
//> ]
//> /^(?:(\w+)\s?)+$/ null
//> /(a*?)*?b|(a+)$/ [
//>   0,
//>   'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
//>   undefined,
//>   'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
//> ]
//> /(?:a|a?)+$/u [ 51, '' ]
//> /^(a|a|b)*(c)?d|a(a)/ null
//> /([a-zA-Z0-9]+)*@x/ null
//> /(a{1,5}){1,9}b/ null
