// inspect: values as text, the way Node prints them. console, util.inspect and util.format use it.
//
// Layout rules (when a line breaks, when numbers stand in columns) are Node's, so that a model that
// expects Node's output is not surprised; the differential tests compare the two.
'use strict';

const { classOf, proxy: proxyDetails, rest: iteratorRest, namedKeys } = native.inspect;
const { promiseState, promiseResult } = native.program;

const custom = Symbol.for('nodejs.util.inspect.custom');

const defaults = Object.seal({
    showHidden: false,
    depth: 2,
    colors: false,
    customInspect: true,
    showProxy: false,
    maxArrayLength: 100,
    maxStringLength: 10000,
    breakLength: 80,
    compact: 3,
    sorted: false,
    getters: false,
    numericSeparator: false,
});

const styles = {
    special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey',
    null: 'bold', string: 'green', symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline',
};
Object.defineProperty(styles, 'name', { value: undefined, writable: true, configurable: true });
const colors = {
    reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27],
    hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24], black: [30, 39], red: [31, 39], green: [32, 39],
    yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], bgBlack: [40, 49], bgRed: [41, 49],
    bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49], bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49],
    framed: [51, 54], overlined: [53, 55], gray: [90, 39], redBright: [91, 39], greenBright: [92, 39], yellowBright: [93, 39],
    blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39], bgGray: [100, 49],
    bgRedBright: [101, 49], bgGreenBright: [102, 49], bgYellowBright: [103, 49], bgBlueBright: [104, 49],
    bgMagentaBright: [105, 49], bgCyanBright: [106, 49], bgWhiteBright: [107, 49],
};
for (const [other, name] of [['grey', 'gray'], ['bgGrey', 'bgGray'], ['blackBright', 'gray'], ['bgBlackBright', 'bgGray'], ['faint', 'dim'],
    ['crossedout', 'strikethrough'], ['crossedOut', 'strikethrough'], ['strikeThrough', 'strikethrough'], ['conceal', 'hidden'],
    ['swapColors', 'inverse'], ['swapcolors', 'inverse'], ['doubleUnderline', 'doubleunderline']])
    Object.defineProperty(colors, other, { value: colors[name], writable: true, configurable: true, enumerable: false });

const OBJECT = 0, ELEMENT = 1;
const plain = text => text;
const colored = (text, style) => {
    const color = colors[styles[style]];
    return color ? `\u001b[${color[0]}m${text}\u001b[${color[1]}m` : text;
};
const ansi = /\u001b\[\d+m/g;
const hasOwn = Object.hasOwn;
const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const pad = n => ' '.repeat(n);
const plural = n => (n > 1 ? 's' : '');

// ---------------------------------------------------------------- primitives

const named = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 92: '\\\\' };
const unsafe = /[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/;
const unsafeAll = /[\ud800-\udbff][\udc00-\udfff]|[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/g;

function quote(text) {
    let mark = "'";
    if (!unsafe.test(text)) return `'${text}'`;
    if (text.includes("'")) {
        if (!text.includes('"')) mark = '"';
        else if (!text.includes('`') && !text.includes('${')) mark = '`';
    }
    return mark + text.replace(unsafeAll, c => {
        if (c.length === 2) return c;
        const code = c.charCodeAt(0);
        if (code === 39) return mark === "'" ? "\\'" : "'";
        if (named[code]) return named[code];
        if (code >= 0xd800) return `\\u${code.toString(16)}`;
        return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
    }) + mark;
}

const grouped = digits => digits.replace(/\B(?=(?:\d{3})+$)/g, '_');

// 1234567.8912 as 1_234_567.891_2
function separated(number) {
    const text = `${number}`;
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
    const [whole, fraction] = text.split('.');
    return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction.replace(/\d{3}(?=\d)/g, '$&_')}`;
}

function formatNumber(ctx, number) {
    if (ctx.numericSeparator) return ctx.stylize(Object.is(number, -0) ? '-0' : separated(number), 'number');
    return ctx.stylize(Object.is(number, -0) ? '-0' : `${number}`, 'number');
}

function formatString(ctx, text) {
    let trailer = '';
    if (text.length > ctx.maxStringLength) {
        const rest = text.length - ctx.maxStringLength;
        text = text.slice(0, ctx.maxStringLength);
        trailer = `... ${rest} more character${plural(rest)}`;
    }
    if (ctx.compact !== true && text.length > 16 && text.length > ctx.breakLength - ctx.indent - 4)
        return text.split(/(?<=\n)/).map(line => ctx.stylize(quote(line), 'string'))
            .join(` +\n${pad(ctx.indent + 2)}`) + trailer;
    return ctx.stylize(quote(text), 'string') + trailer;
}

function formatPrimitive(ctx, value) {
    switch (typeof value) {
    case 'string': return formatString(ctx, value);
    case 'number': return formatNumber(ctx, value);
    case 'bigint': return ctx.stylize(`${ctx.numericSeparator ? grouped(`${value}`) : value}n`, 'bigint');
    case 'boolean': return ctx.stylize(`${value}`, 'boolean');
    case 'undefined': return ctx.stylize('undefined', 'undefined');
    default: return ctx.stylize(Symbol.prototype.toString.call(value), 'symbol');
    }
}

// ---------------------------------------------------------------- names of things

function isInstance(object, constructor) {
    try {
        return object instanceof constructor;
    } catch {
        return false;
    }
}

// The name of the constructor; null for an object without prototype.
function constructorName(object, ctx, depth) {
    let first;
    for (let at = object; at; at = Object.getPrototypeOf(at)) {
        const found = Object.getOwnPropertyDescriptor(at, 'constructor');
        if (found !== undefined && typeof found.value === 'function' && found.value.name !== '' &&
            isInstance(object, found.value))
            return `${found.value.name}`;
        if (at === object) first = Object.getPrototypeOf(at);
    }
    if (first === null) return null;
    const name = classOf(object);
    if (ctx.depth !== null && depth > ctx.depth) return `${name} <Complex prototype>`;
    const above = constructorName(first, ctx, depth + 1);
    if (above === null)
        return `${name} <${inspect(first, { customInspect: false, depth: -1 })}>`;
    return `${name} <${above}>`;
}

function prefixOf(name, tag, fallback, size = '') {
    if (name === null) {
        const other = tag !== '' && fallback !== tag ? `[${tag}] ` : '';
        return `[${fallback}${size}: null prototype] ${other}`;
    }
    return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
}

function functionBase(value, name, tag) {
    const source = Function.prototype.toString.call(value);
    if (/^class\b/.test(source)) {
        let base = `class ${(hasOwn(value, 'name') && value.name) || '(anonymous)'}`;
        if (name !== 'Function' && name !== null) base += ` [${name}]`;
        if (tag !== '' && name !== tag) base += ` [${tag}]`;
        const parent = name !== null && Object.getPrototypeOf(value);
        if (name === null) base += ' extends [null prototype]';
        else if (parent?.name) base += ` extends ${parent.name}`;
        return `[${base}]`;
    }
    const kind = classOf(value);
    const type = kind === 'AsyncFunction' || kind === 'GeneratorFunction' ||
        kind === 'AsyncGeneratorFunction' ? kind : 'Function';
    let base = `[${type}`;
    if (name === null) base += ' (null prototype)';
    base += value.name === '' ? ' (anonymous)' : `: ${String(value.name)}`;
    base += ']';
    if (name !== type && name !== null) base += ` ${name}`;
    if (tag !== '' && name !== tag) base += ` [${tag}]`;
    return base;
}

// ---------------------------------------------------------------- errors


// A stack begins with the error's name; what is missing of the constructor's is put in front.
function improveStack(stack, constructor, name, tag) {
    let { length } = name, fallback = 'Error';
    const exact = name.endsWith('Error') && stack.startsWith(name) &&
        (stack.length === length || stack[length] === ':' || stack[length] === '\n');
    if (constructor === null) {
        const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) || /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
        ({ length } = start?.[1] ?? '');
        fallback = start?.[1] ?? fallback;
    } else if (!exact) {
        return stack;
    }
    const prefix = prefixOf(constructor, tag, fallback).slice(0, -1);
    if (name === prefix) return stack;
    if (!prefix.includes(name)) return `${prefix} [${name}]${stack.slice(length)}`;
    return length === 0 ? `${prefix}: ${stack}` : `${prefix}${stack.slice(length)}`;
}

function formatError(ctx, error, constructor, tag, keys) {
    const name = error.name != null ? String(error.name) : 'Error';
    let stack = error.stack ? String(error.stack) : Error.prototype.toString.call(error);
    if (!ctx.showHidden) {
        for (const key of ['name', 'message', 'stack']) {
            const at = keys.indexOf(key);
            if (at !== -1 && (typeof error[key] !== 'string' || stack.includes(error[key])))
                keys.splice(at, 1);
        }
    }
    if ('cause' in error && !keys.includes('cause')) keys.push('cause');
    if (Array.isArray(error.errors) && !keys.includes('errors')) keys.push('errors');
    stack = improveStack(stack, constructor, name, tag);
    const message = error.message ? stack.indexOf(error.message) : -1;
    const from = message === -1 ? 0 : message + error.message.length;
    if (stack.indexOf('\n    at', from) === -1) stack = `[${stack}]`;
    return ctx.indent ? stack.replaceAll('\n', `\n${pad(ctx.indent)}`) : stack;
}

// ---------------------------------------------------------------- contents

function formatArray(ctx, value, depth) {
    const shown = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
    const output = [];
    let i = 0;
    for (; i < value.length && output.length < shown; i++) {
        if (hasOwn(value, i)) {
            output.push(formatProperty(ctx, value, depth, i, ELEMENT));
            continue;
        }
        const from = i;
        const next = nextElement(value, i);
        i = next - 1;
        output.push(ctx.stylize(`<${next - from} empty item${plural(next - from)}>`, 'undefined'));
    }
    if (i < value.length) output.push(`... ${value.length - i} more item${plural(value.length - i)}`);
    return output;
}

// The first index from `i` on that exists; sparse arrays of any length are searched by their keys.
function nextElement(array, i) {
    for (let step = 0; step < 1000 && i < array.length; step++, i++)
        if (hasOwn(array, i)) return i;
    if (i >= array.length) return array.length;
    for (const key of Object.keys(array)) {
        const index = Number(key);
        if (index >= i && index < array.length && String(index >>> 0) === key) return index;
    }
    return array.length;
}

function formatTypedArray(ctx, value) {
    const shown = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
    const output = [];
    for (let i = 0; i < shown; i++) output.push(formatPrimitive(ctx, value[i]));
    const rest = value.length - shown;
    if (rest > 0) output.push(`... ${rest} more item${plural(rest)}`);
    return output;
}

function formatBuffer(ctx, buffer) {
    const bytes = new Uint8Array(buffer);
    const shown = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
    let text = native.text.hexDecode(bytes, 0, shown).replace(/(.{2})(?!$)/g, '$1 ');
    const rest = bytes.length - shown;
    if (rest > 0) text += ` ... ${rest} more byte${plural(rest)}`;
    return [`${ctx.stylize('[Uint8Contents]', 'special')}: <${text}>`];
}

function formatCollection(ctx, entries, size, depth, formatOne) {
    const shown = Math.min(Math.max(0, ctx.maxArrayLength), size);
    const output = [];
    ctx.indent += 2;
    for (const entry of entries) {
        if (output.length >= shown) break;
        output.push(formatOne(entry));
    }
    ctx.indent -= 2;
    if (size > shown) output.push(`... ${size - shown} more item${plural(size - shown)}`);
    return output;
}

const setValues = Set.prototype.values, mapEntries = Map.prototype.entries;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;

function formatSet(ctx, value, depth) {
    return formatCollection(ctx, setValues.call(value), setSize.call(value), depth,
        entry => formatValue(ctx, entry, depth));
}

function formatMap(ctx, value, depth) {
    return formatCollection(ctx, mapEntries.call(value), mapSize.call(value), depth,
        ([key, item]) => `${formatValue(ctx, key, depth)} => ${formatValue(ctx, item, depth)}`);
}

function formatIterator(ctx, value, depth, entries, pairs) {
    const size = pairs ? entries.length / 2 : entries.length;
    if (!pairs) return formatCollection(ctx, entries, size, depth, entry => formatValue(ctx, entry, depth));
    const list = [];
    for (let i = 0; i < entries.length; i += 2) list.push([entries[i], entries[i + 1]]);
    return formatCollection(ctx, list, size, depth, ([key, item]) => arrange(ctx,
        [formatValue(ctx, key, depth), formatValue(ctx, item, depth)], '', ['[', ']'], ELEMENT, depth));
}

function formatPromise(ctx, value, depth) {
    const state = promiseState(value);
    if (state === 0) return [ctx.stylize('<pending>', 'special')];
    ctx.indent += 2;
    const text = formatValue(ctx, promiseResult(value), depth);
    ctx.indent -= 2;
    return [state === 2 ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text];
}

function formatNamespace(ctx, value, depth, keys) {
    return keys.splice(0).map(key => {
        try {
            return formatProperty(ctx, value, depth, key, OBJECT);
        } catch {
            return `${key}: ${ctx.stylize('<uninitialized>', 'special')}`;
        }
    });
}

function propertyName(ctx, key, enumerable) {
    if (typeof key === 'symbol') return `[${ctx.stylize(Symbol.prototype.toString.call(key), 'symbol')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (!enumerable) return `[${key}]`;
    return identifier.test(key) ? ctx.stylize(key, 'name') : ctx.stylize(quote(key), 'string');
}

function formatProperty(ctx, object, depth, key, kind) {
    const found = Object.getOwnPropertyDescriptor(object, key) ||
        { value: object[key], configurable: true, enumerable: true };
    let text;
    if (found.value !== undefined) {
        const indent = ctx.compact !== true || kind !== OBJECT ? 2 : 3;
        ctx.indent += indent;
        text = formatValue(ctx, found.value, depth);
        ctx.indent -= indent;
    } else if (found.get !== undefined) {
        text = formatGetter(ctx, object, depth, key, found);
    } else {
        text = found.set !== undefined ? ctx.stylize('[Setter]', 'special')
            : ctx.stylize('undefined', 'undefined');
    }
    return kind === ELEMENT ? text : `${propertyName(ctx, key, found.enumerable)}: ${text}`;
}

function formatGetter(ctx, object, depth, key, { get, set }) {
    const label = set !== undefined ? 'Getter/Setter' : 'Getter';
    const wanted = ctx.getters === true || (ctx.getters === 'get' && set === undefined) ||
        (ctx.getters === 'set' && set !== undefined);
    if (!wanted) return ctx.stylize(`[${label}]`, 'special');
    try {
        const value = get.call(object);
        ctx.indent += 2;
        const text = typeof value === 'object' && value !== null
            ? `${ctx.stylize(`[${label}]`, 'special')} ${formatValue(ctx, value, depth)}`
            : `${ctx.stylize(`[${label}:`, 'special')} ${formatValue(ctx, value, depth)}${ctx.stylize(']', 'special')}`;
        ctx.indent -= 2;
        return text;
    } catch (error) {
        return `[${label}: <Inspection threw (${error.message})>]`;
    }
}

// ---------------------------------------------------------------- layout

const lengthOf = (ctx, text) => (ctx.colors ? text.replace(ansi, '').length : text.length);

// Some characters take two columns, some none.
const wide = /[\u0300-\u036f\u1100-\u115f\u200b-\u200f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe00-\ufe0f\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const beyondLatin = /[^\x00-\u02ff]/;
function widthOf(length, text) {
    if (!beyondLatin.test(text)) return length;
    return length + [...text.matchAll(wide)].reduce((sum, [c]) => sum + (/[\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f]/.test(c) ? -1 : 1), 0);
}

// Many short elements stand in columns that are about as wide as they are high.
function intoColumns(ctx, output, value) {
    const gap = 2;
    const count = ctx.maxArrayLength < output.length ? output.length - 1 : output.length;
    const lengths = [];
    let total = 0, longest = 0;
    for (let i = 0; i < count; i++) {
        lengths[i] = widthOf(lengthOf(ctx, output[i]), output[i]);
        total += lengths[i] + gap;
        if (lengths[i] > longest) longest = lengths[i];
    }
    const widest = longest + gap;
    if (widest * 3 + ctx.indent >= ctx.breakLength || (total / widest <= 5 && longest > 6)) return output;
    const bias = Math.sqrt(widest - total / output.length);
    const typical = Math.max(widest - 3 - bias, 1);
    const columns = Math.min(
        Math.round(Math.sqrt(2.5 * typical * count) / typical),
        Math.floor((ctx.breakLength - ctx.indent) / widest),
        ctx.compact * 4, 15);
    if (columns <= 1) return output;
    const widths = [];
    for (let column = 0; column < columns; column++) {
        let width = 0;
        for (let i = column; i < count; i += columns) width = Math.max(width, lengths[i]);
        widths.push(width + gap);
    }
    let numeric = value !== undefined;
    for (let i = 0; numeric && i < output.length; i++)
        numeric = typeof value[i] === 'number' || typeof value[i] === 'bigint';
    const rows = [];
    for (let i = 0; i < count; i += columns) {
        const end = Math.min(i + columns, count);
        let row = '';
        for (let j = i; j < end; j++) {
            const last = j === end - 1;
            const width = widths[j - i] + output[j].length - lengths[j] - (last ? gap : 0);
            const cell = last ? output[j] : `${output[j]}, `;
            row += numeric ? cell.padStart(width) : last ? cell : cell.padEnd(width);
        }
        rows.push(row);
    }
    if (count < output.length) rows.push(output[count]);
    return rows;
}

function fitsLine(ctx, output, start, base) {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (const part of output) {
        total += lengthOf(ctx, part);
        if (total > ctx.breakLength) return false;
    }
    return base === '' || !base.includes('\n');
}

function arrange(ctx, output, base, braces, kind, depth, value) {
    const head = base ? `${base} ` : '';
    if (ctx.compact === true) {
        const start = base ? ` ${base}` : '';
        if (fitsLine(ctx, output, 0, base)) return `${braces[0]}${start} ${output.join(', ')} ${braces[1]}`;
        const line = `\n${pad(ctx.indent)}`;
        const first = base === '' && braces[0].length === 1 ? ' ' : `${start}\n${line}  `;
        return `${braces[0]}${first}${output.join(`,${line}  `)} ${braces[1]}`;
    }
    if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
        const entries = output.length;
        if (kind === ELEMENT && entries > 6) output = intoColumns(ctx, output, value);
        if (ctx.deepest - depth < ctx.compact && entries === output.length) {
            const start = output.length + ctx.indent + braces[0].length + base.length + 10;
            if (fitsLine(ctx, output, start, base)) {
                const line = output.join(', ');
                if (!line.includes('\n')) return `${head}${braces[0]} ${line} ${braces[1]}`;
            }
        }
    }
    const line = `\n${pad(ctx.indent)}`;
    return `${head}${braces[0]}${line}  ${output.join(`,${line}  `)}${line}${braces[1]}`;
}

// ---------------------------------------------------------------- objects

function ownKeys(object, ctx) {
    if (ctx.showHidden) return Reflect.ownKeys(object);
    let keys;
    try {
        keys = Object.keys(object);
    } catch {
        keys = Object.getOwnPropertyNames(object); // a module with uninitialised bindings
    }
    for (const symbol of Object.getOwnPropertySymbols(object))
        if (Object.prototype.propertyIsEnumerable.call(object, symbol)) keys.push(symbol);
    return keys;
}

// What kind of object it is: {braces, base, keys, contents, kind} or, when it is complete, its text.
function describe(ctx, value, depth, name, tag, inTyped) {
    const kind = classOf(value);
    const shape = { braces: ['{', '}'], base: '', keys: undefined, contents: () => [], kind: OBJECT };
    const container = (open, close, keys, contents, type) => {
        shape.braces = [open, close];
        shape.keys = keys;
        shape.contents = contents;
        if (type !== undefined) shape.kind = type;
        return shape;
    };
    if (Array.isArray(value)) {
        const head = name !== 'Array' || tag !== '' ? prefixOf(name, tag, 'Array', `(${value.length})`) : '';
        const keys = namedKeys(value, !ctx.showHidden);
        if (value.length === 0 && keys.length === 0) return `${head}[]`;
        return container(`${head}[`, ']', keys, () => formatArray(ctx, value, depth + 1), ELEMENT);
    }
    if (ArrayBuffer.isView(value) && kind !== 'DataView') {
        const head = prefixOf(name, tag, kind, `(${value.length})`);
        const keys = namedKeys(value, !ctx.showHidden);
        if (value.length === 0 && keys.length === 0 && !ctx.showHidden) return `${head}[]`;
        return container(`${head}[`, ']', keys, () => formatTypedArray(ctx, value), ELEMENT);
    }
    const keys = shape.keys = ownKeys(value, ctx);
    const bare = keys.length === 0;
    const leaf = base => {
        shape.base = base;
        return bare ? base : shape;
    };
    const prefixed = (fallback, contents) => container(`${prefixOf(name, tag, fallback)}{`, '}', keys, contents);
    switch (kind) {
    case 'Set': case 'Map': {
        const size = (kind === 'Set' ? setSize : mapSize).call(value);
        const head = prefixOf(name, tag, kind, `(${size})`);
        if (size === 0 && bare) return `${head}{}`;
        const format = kind === 'Set' ? formatSet : formatMap;
        return container(`${head}{`, '}', keys, () => format(ctx, value, depth + 1));
    }
    case 'Map Iterator': case 'Set Iterator': {
        const [entries, pairs] = iteratorRest(value);
        const head = `[${pairs ? kind.replace('Iterator', 'Entries') : kind}] {`;
        return container(head, '}', keys, () => formatIterator(ctx, value, depth + 1, entries, pairs));
    }
    case 'RegExp': {
        const head = prefixOf(name, tag, 'RegExp');
        const text = RegExp.prototype.toString.call(value);
        const result = leaf(ctx.stylize(head === 'RegExp ' ? text : head + text, 'regexp'));
        return ctx.depth !== null && depth > ctx.depth ? shape.base : result;
    }
    case 'Date': {
        const head = prefixOf(name, tag, 'Date');
        const time = Date.prototype.getTime.call(value);
        const text = Number.isNaN(time) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
        return leaf(ctx.stylize(head === 'Date ' ? text : head + text, 'date'));
    }
    case 'ArrayBuffer': case 'SharedArrayBuffer': {
        const head = prefixOf(name, tag, kind);
        if (inTyped && bare) return `${head}{ byteLength: ${formatNumber(ctx, value.byteLength)} }`;
        keys.unshift('byteLength');
        return container(`${head}{`, '}', keys, inTyped ? () => [] : () => formatBuffer(ctx, value));
    }
    case 'DataView':
        keys.unshift('byteLength', 'byteOffset', 'buffer');
        return prefixed('DataView', () => []);
    case 'Promise':
        return prefixed('Promise', () => formatPromise(ctx, value, depth + 1));
    case 'WeakSet': case 'WeakMap':
        return prefixed(kind, () => [ctx.stylize('<items unknown>', 'special')]);
    case 'WeakRef':
        return bare ? `${prefixOf(name, tag, 'WeakRef')}{}` : prefixed('WeakRef', () => []);
    case 'Module':
        return container(`${prefixOf(name, tag, 'Module')}{`, '}', keys,
            () => formatNamespace(ctx, value, depth + 1, keys));
    case 'Number': case 'String': case 'Boolean': case 'Symbol': case 'BigInt': {
        const inner = globalThis[kind].prototype.valueOf.call(value);
        if (kind === 'String') keys.splice(0, inner.length);
        let base = `[${kind}`;
        if (kind !== name) base += name === null ? ' (null prototype)' : ` (${name})`;
        base += `: ${formatPrimitive({ ...ctx, stylize: plain }, inner)}]`;
        if (tag !== '' && tag !== name) base += ` [${tag}]`;
        shape.base = ctx.stylize(base, kind.toLowerCase());
        return keys.length === 0 ? shape.base : shape;
    }
    }
    if (typeof value === 'function') return leaf(ctx.stylize(functionBase(value, name, tag), 'special'));
    if (Error.isError(value) || isInstance(value, Error)) {
        shape.base = formatError(ctx, value, name, tag, keys);
        return keys.length === 0 ? shape.base : shape;
    }
    if (kind === 'Arguments' && name === 'Object') {
        shape.braces[0] = '[Arguments] {';
        return bare ? '[Arguments] {}' : shape;
    }
    if (name === 'Object' && tag === '') return bare ? '{}' : shape;
    const head = `${prefixOf(name, tag, 'Object')}{`;
    if (bare) return `${head}}`;
    shape.braces[0] = head;
    return shape;
}

function tagOf(ctx, value) {
    const tag = value[Symbol.toStringTag];
    if (typeof tag !== 'string' || tag === '') return '';
    const own = ctx.showHidden ? hasOwn(value, Symbol.toStringTag)
        : Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag);
    return own ? '' : tag;
}

function formatObject(ctx, value, depth, inTyped) {
    const name = constructorName(value, ctx, depth);
    const tag = tagOf(ctx, value);
    const shape = describe(ctx, value, depth, name, tag, inTyped);
    if (typeof shape === 'string') return shape;
    if (ctx.depth !== null && depth > ctx.depth) {
        const text = prefixOf(name, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1);
        return ctx.stylize(name !== null ? `[${text}]` : text, 'special');
    }
    if (ctx.seen.length > 1000) return ctx.stylize('[Object: nested too deeply]', 'special');
    depth++;
    ctx.seen.push(value);
    ctx.deepest = depth;
    const output = shape.contents();
    for (const key of shape.keys) output.push(formatProperty(ctx, value, depth, key, OBJECT));
    ctx.seen.pop();
    let base = shape.base;
    const index = ctx.circular?.get(value);
    if (index !== undefined) {
        const reference = ctx.stylize(`<ref *${index}>`, 'special');
        if (ctx.compact === true) shape.braces[0] = `${reference} ${shape.braces[0]}`;
        else base = base === '' ? reference : `${reference} ${base}`;
    }
    if (ctx.sorted) {
        const order = ctx.sorted === true ? undefined : ctx.sorted;
        if (shape.kind === OBJECT) output.sort(order);
        else if (shape.keys.length > 1) {
            const named = output.splice(output.length - shape.keys.length).sort(order);
            output.push(...named);
        }
    }
    const text = arrange(ctx, output, base, shape.braces, shape.kind, depth, value);
    ctx.budget[ctx.indent] = (ctx.budget[ctx.indent] || 0) + text.length;
    if (ctx.budget[ctx.indent] > 2 ** 27) ctx.depth = -1; // a graph that unfolds without end
    return text;
}

function formatProxy(ctx, [target, handler], depth) {
    if (ctx.depth !== null && depth > ctx.depth) return ctx.stylize('Proxy [Array]', 'special');
    depth++;
    ctx.indent += 2;
    const parts = [formatValue(ctx, target, depth), formatValue(ctx, handler, depth)];
    ctx.indent -= 2;
    return arrange(ctx, parts, '', ['Proxy [', ']'], ELEMENT, depth);
}

function formatCustom(ctx, context, inspector, depth) {
    const left = ctx.depth === null ? null : ctx.depth - depth;
    const result = inspector.call(context, left, { ...ctx.options, depth: left, stylize: ctx.stylize }, inspect);
    if (result === context) return undefined;
    if (typeof result !== 'object') return `${String(result)}`.replaceAll('\n', `\n${pad(ctx.indent)}`);
    return formatValue(ctx, result, depth).replaceAll('\n', `\n${pad(ctx.indent)}`);
}

function formatValue(ctx, value, depth, inTyped) {
    if (value === null) return ctx.stylize('null', 'null');
    if (typeof value !== 'object' && typeof value !== 'function') return formatPrimitive(ctx, value);
    const context = value;
    let details = proxyDetails(value);
    if (details !== undefined) {
        if (ctx.showProxy) return formatProxy(ctx, details, depth);
        while (details !== undefined) {
            value = details[0];
            if (value === null) return ctx.stylize('<Revoked Proxy>', 'special');
            details = proxyDetails(value);
        }
    }
    if (ctx.customInspect) {
        const inspector = value[custom];
        if (typeof inspector === 'function' && inspector !== inspect &&
            !(value.constructor && value.constructor.prototype === value)) {
            const text = formatCustom(ctx, context, inspector, depth);
            if (text !== undefined) return text;
        }
    }
    if (ctx.seen.includes(value)) {
        ctx.circular ??= new Map();
        let index = ctx.circular.get(value);
        if (index === undefined) ctx.circular.set(value, index = ctx.circular.size + 1);
        return ctx.stylize(`[Circular *${index}]`, 'special');
    }
    return formatObject(ctx, value, depth, inTyped);
}

function inspect(value, options, depth, useColors) {
    const ctx = { ...defaults, indent: 0, seen: [], deepest: 0, circular: undefined, budget: {}, options: undefined };
    if (typeof options === 'object' && options !== null) {
        for (const key of Object.keys(options))
            if (hasOwn(defaults, key) || key === 'stylize') ctx[key] = options[key];
        ctx.options = { ...defaults, ...options };
    } else {
        if (options !== undefined) ctx.showHidden = Boolean(options);
        if (depth !== undefined) ctx.depth = depth;
        if (useColors !== undefined) ctx.colors = useColors;
        ctx.options = { ...defaults };
    }
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    ctx.stylize = typeof ctx.stylize === 'function' ? ctx.stylize : ctx.colors ? colored : plain;
    if (ctx.depth === undefined) ctx.depth = 2;
    if (ctx.depth === Infinity) ctx.depth = null;
    return formatValue(ctx, value, 0);
}
inspect.custom = custom;
Object.defineProperty(inspect, 'defaultOptions', {
    get: () => defaults,
    set(options) {
        require('internal/validators').object(options, 'options');
        return Object.assign(defaults, options);
    },
});
inspect.colors = colors;
inspect.styles = styles;

// ---------------------------------------------------------------- format

function jsonOf(value) {
    try {
        return JSON.stringify(value);
    } catch (error) {
        if (error instanceof TypeError && /circular/i.test(error.message)) return '[Circular]';
        throw error;
    }
}

function hasOwnToString(value) {
    if (proxyDetails(value) !== undefined) return true;
    if (typeof value.toString !== 'function') return false;
    if (hasOwn(value, 'toString')) return true;
    for (let at = value; at; at = Object.getPrototypeOf(at)) {
        if (!hasOwn(at, 'constructor')) continue;
        const { value: made } = Object.getOwnPropertyDescriptor(at, 'constructor');
        const builtin = typeof made === 'function' && globalThis[made.name] === made;
        if (!builtin && value.toString !== Object.prototype.toString && value.toString !== Error.prototype.toString)
            return true;
        if (builtin) return false;
    }
    return false;
}

function formatArgument(letter, value, options) {
    switch (letter) {
    case 's':
        if (typeof value === 'number') return formatNumber({ stylize: plain }, value);
        if (typeof value === 'bigint') return `${value}n`;
        if (typeof value !== 'object' || value === null || hasOwnToString(value)) return String(value);
        return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
    case 'd':
        if (typeof value === 'bigint') return `${value}n`;
        return typeof value === 'symbol' ? 'NaN' : formatNumber({ stylize: plain }, Number(value));
    case 'i':
        if (typeof value === 'bigint') return `${value}n`;
        return typeof value === 'symbol' ? 'NaN' : formatNumber({ stylize: plain }, parseInt(value));
    case 'f':
        return typeof value === 'symbol' ? 'NaN' : formatNumber({ stylize: plain }, parseFloat(value));
    case 'j': return jsonOf(value);
    case 'o': return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
    case 'O': return inspect(value, options);
    default: return ''; // %c: CSS, which a terminal ignores
    }
}

function formatWithOptions(options, ...args) {
    let text = '', next = 0;
    if (typeof args[0] === 'string') {
        if (args.length === 1) return args[0];
        next = 1;
        text = args[0].includes('%') ? args[0].replace(/%([sdifjoOc%])/g, (all, letter) => {
            if (letter === '%') return next === args.length && args.length === 1 ? all : '%';
            return next < args.length ? formatArgument(letter, args[next++], options) : all;
        }) : args[0];
        if (next < args.length) text += ' ';
    }
    for (let i = next; i < args.length; i++) {
        if (i > next) text += ' ';
        text += typeof args[i] === 'string' ? args[i] : inspect(args[i], options);
    }
    return text;
}

const format = (...args) => formatWithOptions(undefined, ...args);

module.exports = { inspect, format, formatWithOptions, quote, colors };
