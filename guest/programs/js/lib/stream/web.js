// stream/web: the Web's streams, which are globals as well.
'use strict';

const { gather, ...classes } = require('internal/webstreams');

module.exports = classes;
