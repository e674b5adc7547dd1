// http: the client of Node's, by the tool http/request.
'use strict';

module.exports = require('internal/http_module').made('http');
