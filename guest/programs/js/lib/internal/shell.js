// shell: shell(), shell.run() and $`…`: the sandbox's shell from JavaScript, on the same files.
//
//     const {stdout, stderr, exitCode} = await shell("ls | wc -l");
//     const text = await shell.run("cat notes.txt");          // throws when the command fails
//     await $`grep ${pattern} ${files}`                       // arguments are quoted
//     for await (const line of $`tail -f log`.lines()) …      // or shell("…").lines()
'use strict';

const { check, frameText, setFrames } = require('internal/errors');
const { spawn } = require('child_process');

class ShellError extends Error {
    constructor(command, result) {
        const detail = result.stderr.trim();
        super(`command failed with exit ${result.exitCode}: ${command}${detail ? `\n${detail}` : ''}`);
        Object.assign(this, result, { command });
    }
}
Object.defineProperty(ShellError.prototype, 'name', { value: 'ShellError', writable: true, configurable: true });

// {stdout, stderr, exitCode}, with ways to read stdout that do not show when it is printed.
function makeResult(stdout, stderr, exitCode) {
    const result = { stdout, stderr, exitCode };
    const methods = {
        toString: () => stdout.replace(/\n$/, ''),
        text: () => stdout,
        json: () => JSON.parse(stdout),
        lines: () => (stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n')),
    };
    for (const [name, value] of Object.entries(methods))
        Object.defineProperty(result, name, { value, writable: true, configurable: true });
    return result;
}

function quoteArgument(value) {
    if (Array.isArray(value)) return value.map(quoteArgument).join(' ');
    const text = `${value}`;
    return /^[A-Za-z0-9_/:=.,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// A command that runs, or will at the first use: awaited for its result, or read while it runs.
class Command {
    #command;
    #options;
    #mustSucceed; // the frames of the call whose error it is otherwise, or false
    #child;
    #promise;
    constructor(command, options, mustSucceed) {
        this.#command = command;
        this.#options = { ...options };
        this.#mustSucceed = mustSucceed;
        // Commands run even when nobody awaits them, but options may still be set in this turn.
        process.nextTick(() => this.#start());
    }
    #start() {
        if (this.#child) return this.#child;
        const { cwd, env, input, timeout, signal } = this.#options;
        const child = this.#child = spawn('/bin/sh', ['-c', this.#command], {
            cwd, env: env && { ...process.env, ...env }, timeout, signal,
            stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        });
        if (input !== undefined) {
            child.stdin.on('error', () => {}); // the command need not read its input
            child.stdin.end(input);
        }
        return child;
    }
    #result() {
        return this.#promise ??= new Promise((resolve, reject) => {
            const child = this.#start(), out = [], err = [];
            child.stdout.on('data', chunk => out.push(chunk));
            child.stderr.on('data', chunk => err.push(chunk));
            child.on('error', reject);
            child.on('close', (code, signal) => {
                const status = code ?? 128 + (process.signals[signal] ?? 0);
                const result = makeResult(Buffer.concat(out).toString(), Buffer.concat(err).toString(), status);
                if (this.#mustSucceed !== false && status !== 0) reject(setFrames(new ShellError(this.#command, result), this.#mustSucceed));
                else resolve(result);
            });
        });
    }
    then(done, failed) {
        return this.#result().then(done, failed);
    }
    catch(failed) {
        return this.#result().catch(failed);
    }
    finally(done) {
        return this.#result().finally(done);
    }
    nothrow() {
        this.#mustSucceed = false;
        return this;
    }
    cwd(directory) {
        this.#options.cwd = directory;
        return this;
    }
    env(variables) {
        this.#options.env = variables;
        return this;
    }
    async text() {
        return (await this.#result()).stdout;
    }
    async json() {
        return JSON.parse(await this.text());
    }
    // Output as it comes.
    async *lines() {
        let rest = '';
        const decoder = new TextDecoder();
        for await (const chunk of this.#start().stdout) {
            const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
            rest = parts.pop();
            yield* parts;
        }
        if (rest !== '') yield rest;
    }
    [Symbol.asyncIterator]() {
        return this.lines();
    }
    get stdout() {
        return this.#start().stdout;
    }
    get stderr() {
        return this.#start().stderr;
    }
    kill(signal) {
        return this.#start().kill(signal);
    }
    get [Symbol.toStringTag]() {
        return 'Command';
    }
}

function shell(command, options) {
    check.string(command, 'command');
    return new Command(command, options, false);
}

// The command's stdout; throws when it fails.
shell.run = async function run(command, options) {
    check.string(command, 'command');
    return (await new Command(command, options, frameText(run))).stdout;
};

// $`cmd ${argument}` or $({cwd, env, input})`…`
function $(strings, ...values) {
    if (!Array.isArray(strings) || strings.raw === undefined) {
        if (strings !== null && typeof strings === 'object')
            return (parts, ...rest) => template(parts, rest, strings);
        check.string(strings, 'command');
        return new Command(strings, undefined, false);
    }
    return template(strings, values);
}

function template(strings, values, options) {
    let command = strings.raw[0].replaceAll('\\`', '`').replaceAll('\\$', '$');
    values.forEach((value, i) => {
        command += quoteArgument(value) + strings.raw[i + 1].replaceAll('\\`', '`').replaceAll('\\$', '$');
    });
    return new Command(command, options, false);
}
$.quote = quoteArgument;

module.exports = { shell, $, ShellError };
