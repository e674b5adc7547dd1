// url: URL and its kin, and the older url.parse() and url.format().
'use strict';

const { URL, URLSearchParams, domainToASCII, domainToUnicode, fileURLToPath, pathToFileURL } = require('internal/url');
const { Url, parse, format, resolve, resolveObject } = require('internal/url_legacy');

// What http.request() takes of a URL.
function urlToHttpOptions(url) {
    const { hostname, pathname, port, username, password, search } = url;
    return {
        __proto__: null, ...url,
        protocol: url.protocol, hostname: hostname?.startsWith('[') ? hostname.slice(1, -1) : hostname, hash: url.hash, search, pathname,
        path: `${pathname || ''}${search || ''}`, href: url.href,
        ...(port !== undefined && port !== '' && { port: Number(port) }),
        ...((username || password) && { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
    };
}

module.exports = {
    Url, URL, URLSearchParams, parse, format, resolve, resolveObject, fileURLToPath, pathToFileURL, domainToASCII, domainToUnicode,
    urlToHttpOptions,
};
