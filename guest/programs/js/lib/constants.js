// constants: the numbers of fs and os in one object.
'use strict';

const { constants } = require('os');

module.exports = { ...require('fs').constants, ...constants.errno, ...constants.signals, ...constants.priority };
