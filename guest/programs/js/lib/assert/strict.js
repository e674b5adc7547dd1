// assert/strict: assert without the loose comparisons.
'use strict';

module.exports = require('assert').strict;
