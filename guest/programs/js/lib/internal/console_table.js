// console_table: what console.table() prints.
'use strict';

const { inspect } = require('internal/inspect');

const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e][\udc00-\udfff]/g;

function widthOf(text) {
    const bare = text.normalize('NFC').replace(/\x1b\[[\d;]*m|[\u200b-\u200f\u0300-\u036f\ufe00-\ufe0f]/g, '');
    return [...bare].length + (bare.match(wide)?.length ?? 0);
}

function cell(value, options) {
    const deep = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2;
    return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth: deep ? -1 : 0, ...options });
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

// `data` as console.table() shows it, with the columns `only`; `options` are those of inspect().
function table(data, only, options) {
    const show = value => cell(value, options);
    const indexHead = data instanceof Map || data instanceof Set ? '(iteration index)' : '(index)';
    const index = [], keys = new Map(), values = [];
    let hasValues = false, rows = [];
    if (data instanceof Map) {
        const pairs = [...data];
        return drawTable([indexHead, 'Key', 'Values'], [pairs.map((_, i) => `${i}`),
            pairs.map(([key]) => show(key)), pairs.map(([, value]) => show(value))]);
    }
    if (data instanceof Set)
        return drawTable([indexHead, 'Values'], [[...data].map((_, i) => `${i}`), [...data].map(show)]);
    rows = Object.keys(data).map(key => [key, data[key]]);
    rows.forEach(([key, value], i) => {
        index.push(`${key}`);
        const primitive = value === null || (typeof value !== 'object' && typeof value !== 'function');
        if (primitive) {
            hasValues = true;
            values[i] = show(value);
            return;
        }
        for (const name of only ?? Object.keys(value)) {
            if (!keys.has(name)) keys.set(name, []);
            if (Object.hasOwn(value, name)) keys.get(name)[i] = show(value[name]);
        }
    });
    const fill = column => Array.from({ length: index.length }, (_, i) => column[i] ?? '');
    const head = [indexHead, ...[...keys.keys()].map(String)], columns = [index, ...[...keys.values()].map(fill)];
    if (hasValues) {
        head.push('Values');
        columns.push(fill(values));
    }
    return drawTable(head, columns);
}

module.exports = table;
