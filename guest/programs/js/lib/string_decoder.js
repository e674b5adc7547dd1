// string_decoder: an npm package that is Node's own.
'use strict';

module.exports = require('npm/string_decoder');
