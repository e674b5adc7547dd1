// fs/promises: the promise half of fs.
'use strict';

module.exports = require('fs').promises;
