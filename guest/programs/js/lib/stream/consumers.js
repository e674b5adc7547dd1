// stream/consumers: all of a stream, of either kind, as one value.
'use strict';

const { gather } = require('internal/webstreams');

const buffer = async stream => {
    const bytes = await gather(stream);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
};
const arrayBuffer = async stream => (await gather(stream)).buffer;
const text = async stream => new TextDecoder().decode(await gather(stream));
const json = async stream => JSON.parse(await text(stream));
const blob = async stream => new Blob([await gather(stream)]);

module.exports = { arrayBuffer, blob, buffer, json, text };
