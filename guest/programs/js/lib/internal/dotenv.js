// dotenv: files of environment variables, as util.parseEnv(), process.loadEnvFile() and --env-file read them.
'use strict';

// The value that begins `text`, and how long it is there. Quotes keep lines together; only "…" has \\n.
function value(text) {
    const quote = /^["'`]/.exec(text)?.[0], end = quote ? text.indexOf(quote, 1) : -1;
    if (end !== -1) {
        const inside = text.slice(1, end);
        const newline = text.indexOf('\n', end);
        return [quote === '"' ? inside.replaceAll('\\n', '\n') : inside, newline === -1 ? text.length : newline];
    }
    const line = text.split('\n', 1)[0], comment = line.indexOf('#');
    return [(comment === -1 ? line : line.slice(0, comment)).trim(), line.length];
}

function parse(content) {
    const variables = {};
    let rest = content.replaceAll('\r', '').trim();
    while (rest !== '') {
        rest = rest.replace(/^\s+/, '');
        if (rest.startsWith('#') || rest === '') {
            const end = rest.indexOf('\n');
            rest = end === -1 ? '' : rest.slice(end + 1);
            continue;
        }
        const equal = rest.indexOf('=');
        if (equal === -1) break;
        const name = rest.slice(0, equal).trim().replace(/^export\s+/, '');
        rest = rest.slice(equal + 1).replace(/^[^\S\n]+/, '');
        const [found, length] = value(rest);
        rest = rest.slice(length);
        if (name !== '') variables[name] = found;
    }
    return variables;
}

module.exports = { parse };
