// https: the client of Node's, by the tool http/request. Certificates are verified by the host.
'use strict';

module.exports = require('internal/http_module').made('https');
