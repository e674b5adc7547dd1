// stream: the npm package `readable-stream`, which is Node's own.
'use strict';

const stream = require('npm/stream');

module.exports = stream;
