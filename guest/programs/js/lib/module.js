// module: createRequire and what little else makes sense.
'use strict';

const path = require('path');
const { Module, makeRequire, builtins, builtinName, nodeModulePaths } = require('internal/modules');
const { argValue } = require('internal/errors');

function createRequire(from) {
    const file = from instanceof Object && from.href || String(from).startsWith('file://') ? require('internal/url').fileURLToPath(from) : from;
    if (typeof file !== 'string' || !path.isAbsolute(file))
        throw argValue('filename', from, 'must be a file URL object, file URL string, or absolute path string');
    const module = new Module(file, null);
    module.filename = file;
    return makeRequire(module);
}

Module.Module = Module;
Module.createRequire = createRequire;
Module.builtinModules = [...builtins];
Module.isBuiltin = name => builtinName(name) !== undefined;
Module._nodeModulePaths = nodeModulePaths;

module.exports = Module;
