// path: the npm package `path-browserify`, which is Node's own.
'use strict';

const path = require('npm/path');
path.posix = path;
path.toNamespacedPath ??= name => name;
path.matchesGlob ??= () => {
    throw new Error('path.matchesGlob is experimental in Node and absent here');
};

module.exports = path;
