// readline/promises: readline whose questions give promises.
'use strict';

const readline = require('readline');
const { AbortError } = require('internal/errors');

class Interface extends readline.Interface {
    question(query, options) {
        return new Promise((resolve, reject) => {
            const { signal } = options ?? {};
            if (signal?.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
            signal?.addEventListener('abort', () => reject(new AbortError(undefined, { cause: signal.reason })), { once: true });
            this.once('close', () => reject(new AbortError('Aborted with Ctrl+D')));
            super.question(query, options ?? {}, resolve);
        });
    }
}

module.exports = { Interface, createInterface: (input, output) => new Interface(input, output) };
