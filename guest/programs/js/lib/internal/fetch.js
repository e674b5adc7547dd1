// fetch: there is no network in a sandbox; the message says what to do instead.
'use strict';

async function fetch(input) {
    const url = typeof input === 'string' ? input : input?.url ?? input?.href ?? String(input);
    const cause = new Error(`there is no network in this sandbox (${url}); call one of the tools in listTools() instead`);
    cause.code = 'ENETUNREACH';
    throw new TypeError(`fetch failed: ${cause.message}`, { cause });
}

module.exports = { fetch };
