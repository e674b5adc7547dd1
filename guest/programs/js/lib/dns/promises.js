// dns/promises: the same, as promises.
'use strict';

module.exports = require('dns').promises;
