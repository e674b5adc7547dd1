// console: Node's, on stdout and stderr.
'use strict';

const { format, formatWithOptions, inspect } = require('internal/inspect');

let indent = '';
const counts = new Map(), times = new Map();

function print(fd, text) {
    if (indent !== '') text = indent + text.replaceAll('\n', `\n${indent}`);
    native.process.write(fd, `${text}\n`);
}

function log(...args) {
    if (args.length === 1 && typeof args[0] === 'string') print(1, args[0]);
    else print(1, format(...args));
}

function error(...args) {
    print(2, format(...args));
}

function trace(...args) {
    const at = { name: 'Trace', message: format(...args) };
    Error.captureStackTrace(at, trace);
    print(2, at.stack);
}

function duration(ms) {
    if (ms >= 3600000) {
        const hours = Math.floor(ms / 3600000), minutes = Math.floor(ms / 60000) % 60;
        const seconds = Math.floor(ms / 1000) % 60, two = n => String(n).padStart(2, '0');
        return `${hours}:${two(minutes)}:${two(seconds)} (h:mm:ss)`;
    }
    if (ms >= 60000) {
        const rest = (ms % 60000) / 1000;
        return `${Math.floor(ms / 60000)}:${rest.toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
    }
    if (ms >= 1000) return `${(ms / 1000).toFixed(3)}s`;
    return `${Number(ms.toFixed(3))}ms`;
}

function elapsed(label, method, rest) {
    const began = times.get(label);
    if (began === undefined) {
        process.emitWarning(`No such label '${label}' for console.${method}()`);
        return;
    }
    print(1, format(`${label}: ${duration(native.process.now() - began)}`.replaceAll('%', '%%'), ...rest));
}

// ---------------------------------------------------------------- table

const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e][\udc00-\udfff]/g;

function widthOf(text) {
    const bare = text.normalize('NFC').replace(/[\u200b-\u200f\u0300-\u036f\ufe00-\ufe0f]/g, '');
    return [...bare].length + (bare.match(wide)?.length ?? 0);
}

function cell(value) {
    const deep = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2;
    return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth: deep ? -1 : 0 });
}

function drawTable(head, columns) {
    const rows = Math.max(...columns.map(column => column.length));
    const widths = columns.map((column, i) => Math.max(widthOf(head[i]), ...column.map(widthOf)) + 2);
    const line = (left, middle, right) => left + widths.map(width => '─'.repeat(width)).join(middle) + right;
    const row = cells => `│${cells.map((text, i) => ` ${text}${' '.repeat(widths[i] - widthOf(text) - 1)}`).join('│')}│`;
    const lines = [line('┌', '┬', '┐'), row(head), line('├', '┼', '┤')];
    for (let i = 0; i < rows; i++) lines.push(row(columns.map(column => column[i] ?? '')));
    lines.push(line('└', '┴', '┘'));
    return lines.join('\n');
}

function table(data, only) {
    if (data === null || typeof data !== 'object') return log(data);
    const indexHead = data instanceof Map || data instanceof Set ? '(iteration index)' : '(index)';
    const index = [], keys = new Map(), values = [];
    let hasValues = false, rows = [];
    if (data instanceof Map) {
        const pairs = [...data];
        return log(drawTable([indexHead, 'Key', 'Values'], [pairs.map((_, i) => `${i}`),
            pairs.map(([key]) => cell(key)), pairs.map(([, value]) => cell(value))]));
    }
    if (data instanceof Set)
        return log(drawTable([indexHead, 'Values'], [[...data].map((_, i) => `${i}`), [...data].map(cell)]));
    rows = Object.keys(data).map(key => [key, data[key]]);
    rows.forEach(([key, value], i) => {
        index.push(`${key}`);
        const primitive = value === null || (typeof value !== 'object' && typeof value !== 'function');
        if (primitive) {
            hasValues = true;
            values[i] = cell(value);
            return;
        }
        for (const name of only ?? Object.keys(value)) {
            if (!keys.has(name)) keys.set(name, []);
            if (Object.hasOwn(value, name)) keys.get(name)[i] = cell(value[name]);
        }
    });
    const fill = column => Array.from({ length: index.length }, (_, i) => column[i] ?? '');
    const head = [indexHead, ...[...keys.keys()].map(String)], columns = [index, ...[...keys.values()].map(fill)];
    if (hasValues) {
        head.push('Values');
        columns.push(fill(values));
    }
    log(drawTable(head, columns));
}

const methods = {
    log, info: log, debug: log, error, warn: error, trace, table,
    dir(value, options) {
        print(1, inspect(value, { customInspect: false, ...options }));
    },
    dirxml: log,
    assert(value, ...args) {
        if (value) return;
        if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
        else args.unshift(args.length ? 'Assertion failed:' : 'Assertion failed');
        error(...args);
    },
    count(label = 'default') {
        label = `${label}`;
        counts.set(label, (counts.get(label) ?? 0) + 1);
        log(`${label}: ${counts.get(label)}`);
    },
    countReset(label = 'default') {
        counts.delete(`${label}`);
    },
    group(...args) {
        if (args.length) log(...args);
        indent += '  ';
    },
    groupEnd() {
        indent = indent.slice(0, -2);
    },
    time(label = 'default') {
        label = `${label}`;
        if (times.has(label)) process.emitWarning(`Label '${label}' already exists for console.time()`);
        else times.set(label, native.process.now());
    },
    timeLog(label = 'default', ...rest) {
        elapsed(`${label}`, 'timeLog', rest);
    },
    timeEnd(label = 'default') {
        label = `${label}`;
        elapsed(label, 'timeEnd', []);
        times.delete(label);
    },
};
methods.groupCollapsed = methods.group;

const console = Object.create({}, { [Symbol.toStringTag]: { value: 'console', configurable: true } });
for (const [name, method] of Object.entries(methods))
    Object.defineProperty(console, name, { value: method, writable: true, enumerable: true, configurable: true });

// A console on other streams: new console.Console(stdout, stderr).
console.Console = function Console(options, stderr) {
    const out = options.stdout ?? options, err = options.stderr ?? stderr ?? out;
    const made = Object.create(console);
    const write = (stream, args) => void stream.write(`${formatWithOptions(options.inspectOptions, ...args)}\n`);
    made.log = made.info = made.debug = (...args) => write(out, args);
    made.error = made.warn = (...args) => write(err, args);
    return made;
};

module.exports = console;
