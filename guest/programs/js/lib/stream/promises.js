// stream/promises: the promise half of stream.
'use strict';

module.exports = require('stream').promises;
