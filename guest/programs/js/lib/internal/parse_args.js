// parse_args: util.parseArgs.
'use strict';

const { coded, argValue } = require('internal/errors');
const validate = require('internal/validators');

const own = (table, key) => (Object.hasOwn(table, key) ? table[key] : undefined);
const fail = (code, message) => coded(TypeError, `ERR_PARSE_ARGS_${code}`, message);
const optionLike = value => typeof value === 'string' && value.length > 1 && value.startsWith('-');

function checkConfig({ args, strict, allowPositionals, tokens, options, allowNegative }) {
    validate.array(args, 'args');
    validate.boolean(strict, 'strict');
    validate.boolean(allowPositionals, 'allowPositionals');
    validate.boolean(tokens, 'tokens');
    validate.object(options, 'options');
    validate.boolean(allowNegative, 'allowNegative');
    for (const [name, option] of Object.entries(options)) {
        const place = `options.${name}`;
        validate.object(option, place);
        const { type } = option;
        validate.union(type, `${place}.type`, ['string', 'boolean']);
        if (Object.hasOwn(option, 'short')) {
            validate.string(option.short, `${place}.short`);
            if (option.short.length !== 1) throw argValue(`${place}.short`, option.short, 'must be a single character');
        }
        const multiple = own(option, 'multiple');
        if (Object.hasOwn(option, 'multiple')) validate.boolean(multiple, `${place}.multiple`);
        const value = own(option, 'default');
        if (value === undefined) continue;
        if (multiple) {
            validate.array(value, `${place}.default`);
            value.forEach((item, i) => validate[type](item, `${place}.default[${i}]`));
        } else {
            validate[type](value, `${place}.default`);
        }
    }
}

// What the words are, whatever is allowed.
function tokenize(args, options) {
    const tokens = [], rest = [...args];
    const longOf = letter => Object.keys(options).find(name => options[name].short === letter) ?? letter;
    const typeOf = name => own(options, name)?.type;
    let index = -1, group = 0; // words that are left of a group of letters
    const option = (name, rawName, value, inlineValue) => tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
    const withNext = (name, rawName) => {
        if (typeOf(name) !== 'string' || rest.length === 0) return option(name, rawName, undefined, undefined);
        option(name, rawName, rest.shift(), false);
        index++;
        return undefined;
    };
    while (rest.length) {
        const arg = rest.shift();
        if (group > 0) group--;
        else index++;
        if (arg === '--') {
            tokens.push({ kind: 'option-terminator', index });
            for (const value of rest) tokens.push({ kind: 'positional', index: ++index, value });
            break;
        }
        if (/^-[^-]$/s.test(arg)) {
            const name = longOf(arg[1]), before = index;
            withNext(name, arg);
            if (index > before) tokens.at(-1).index = before;
        } else if (/^-[^-]./s.test(arg)) {
            const name = longOf(arg[1]);
            if (typeOf(name) === 'string') {
                option(name, arg.slice(0, 2), arg.slice(2), true);
                continue;
            }
            const letters = [];
            for (let i = 1; i < arg.length; i++) {
                if (typeOf(longOf(arg[i])) === 'string' && i < arg.length - 1) {
                    letters.push(`-${arg.slice(i)}`);
                    break;
                }
                letters.push(`-${arg[i]}`);
            }
            rest.unshift(...letters);
            group = letters.length;
        } else if (arg.length > 2 && arg.startsWith('--')) {
            const equals = arg.indexOf('=', 3);
            if (equals !== -1) {
                option(arg.slice(2, equals), arg.slice(0, equals), arg.slice(equals + 1), true);
                continue;
            }
            const before = index;
            withNext(arg.slice(2), arg);
            if (index > before) tokens.at(-1).index = before;
        } else {
            tokens.push({ kind: 'positional', index, value: arg });
        }
    }
    return tokens;
}

// An option as it stands in the words is one that may be used so.
function checkUse({ options, allowPositionals }, { name, rawName, value, inlineValue }) {
    const option = own(options, name);
    if (option === undefined) {
        const hint = allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(rawName)}` : '';
        throw fail('UNKNOWN_OPTION', `Unknown option '${rawName}'${hint}`);
    }
    const shown = `${option.short ? `-${option.short}, ` : ''}--${name}`;
    if (option.type === 'string' && typeof value !== 'string') throw fail('INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
    if (option.type === 'boolean' && value !== undefined && value !== null) throw fail('INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
    if (inlineValue || !optionLike(value)) return;
    const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw fail('INVALID_OPTION_VALUE', `Option '${rawName}' argument is ambiguous.
Did you forget to specify the option argument for '${rawName}'?
To specify an option argument starting with a dash use ${example}.`);
}

function parseArgs(given = {}) {
    const part = (name, fallback) => (Object.hasOwn(given, name) ? given[name] ?? fallback : fallback);
    const strict = part('strict', true);
    const config = {
        args: part('args', process.argv.slice(2)), strict, allowPositionals: part('allowPositionals', !strict), tokens: part('tokens', false),
        options: part('options', { __proto__: null }), allowNegative: part('allowNegative', false),
    };
    checkConfig(config);
    const { options } = config, values = { __proto__: null }, positionals = [], tokens = tokenize(config.args, options);
    const store = (name, value) => {
        if (name === '__proto__') return;
        if (own(options, name)?.multiple) (values[name] ??= []).push(value);
        else values[name] = value;
    };
    for (const token of tokens) {
        if (token.kind === 'option') {
            let { name } = token, negative = false;
            if (config.allowNegative && name.startsWith('no-') && !Object.hasOwn(options, name)) {
                name = name.slice(3);
                negative = true;
            }
            if (negative && strict && own(options, name)?.type !== 'boolean') checkUse(config, token);
            if (negative) token.name = name;
            if (strict) checkUse(config, token);
            store(name, negative && token.value === undefined ? false : token.value ?? true);
        } else if (token.kind === 'positional') {
            if (!config.allowPositionals) throw fail('UNEXPECTED_POSITIONAL', `Unexpected argument '${token.value}'. This command does not take positional arguments`);
            positionals.push(token.value);
        }
    }
    for (const [name, option] of Object.entries(options))
        if (option.default !== undefined && values[name] === undefined && name !== '__proto__') values[name] = option.default;
    return config.tokens ? { values, positionals, tokens } : { values, positionals };
}

module.exports = { parseArgs };
