// vm: code in this context. There is one context in a process, so nothing runs in another.
'use strict';

const { coded } = require('internal/errors');

const nameOf = options => (typeof options === 'string' ? options : options?.filename) ?? 'evalmachine.<anonymous>';

const runInThisContext = (code, options) => native.program.script(`${code}`, nameOf(options), false);

class Script {
    #code;
    #name;
    constructor(code, options) {
        this.#code = `${code}`;
        this.#name = nameOf(options);
    }
    runInThisContext() {
        return runInThisContext(this.#code, this.#name);
    }
}

function absent(name) {
    return () => {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `vm.${name} is not available here: a process has one context; start another one with child_process`);
    };
}

module.exports = {
    Script, runInThisContext, isContext: () => false,
    createContext: absent('createContext'), runInContext: absent('runInContext'), runInNewContext: absent('runInNewContext'),
    compileFunction: (code, params = []) => new Function(...params, code),
};
