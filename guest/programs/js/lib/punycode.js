// punycode: the npm package, which is Node's own.
'use strict';

module.exports = require('npm/punycode');
