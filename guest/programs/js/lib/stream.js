// stream: the npm package `readable-stream`, which is Node's own, with the ways to the Web's streams.
'use strict';

const stream = require('npm/stream');

for (const [Class, kind] of [[stream.Readable, 'readable'], [stream.Writable, 'writable'], [stream.Duplex, 'duplex']]) {
    for (const way of ['fromWeb', 'toWeb'])
        Class[way] = { [way]: (...args) => require('internal/stream_adapters')[`${kind}${way[0].toUpperCase()}${way.slice(1)}`](stream, ...args) }[way];
}

module.exports = stream;
