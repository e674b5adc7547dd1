// timers: what the globals of the same names are.
'use strict';

const timers = require('internal/timers');
const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = timers;

module.exports = {
    setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate,
    get promises() {
        return require('timers/promises');
    },
};
