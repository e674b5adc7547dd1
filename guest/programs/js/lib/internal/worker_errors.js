// worker_errors: what nobody caught in a worker, as a value that a message can have.
'use strict';

const classes = { AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function copyable(value) {
    try {
        return { value: structuredClone(value) };
    } catch {
        return undefined;
    }
}

function pack(error) {
    if (!(error instanceof Error) && !Error.isError(error)) return copyable(error) ?? { value: require('internal/inspect').inspect(error) };
    const kind = Object.keys(classes).find(name => error instanceof classes[name]) ?? 'Error', fields = {};
    for (const name of new Set(['name', 'message', 'stack', ...Object.getOwnPropertyNames(error)])) {
        let value;
        try {
            value = error[name];
        } catch {
            continue; // a getter that throws has no value
        }
        const copy = value instanceof Error ? { error: pack(value) } : copyable(value);
        if (copy) fields[name] = { ...copy, enumerable: Object.getOwnPropertyDescriptor(error, name)?.enumerable ?? false };
    }
    return { kind, fields };
}

function unpack(packed) {
    if (!packed.fields) return packed.value;
    const Class = classes[packed.kind] ?? Error, made = packed.kind === 'AggregateError' ? new Class([]) : new Class();
    for (const [name, { value, error, enumerable }] of Object.entries(packed.fields)) {
        if (name === 'name' && value === made.name) continue;
        Object.defineProperty(made, name, { value: error ? unpack(error) : value, enumerable, writable: true, configurable: true });
    }
    return made;
}

module.exports = { pack, unpack };
