// timers: what the globals of the same names are, and what came before them.
'use strict';

const { deprecate } = require('util');
const timers = require('internal/timers');
const validate = require('internal/validators');
const { outOfRange } = require('internal/errors');
const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = timers;

// Objects that were made timers of by hand: `_onTimeout` runs after `_idleTimeout` milliseconds without active().
const enrolled = new WeakMap();

function unenroll(item) {
    clearTimeout(enrolled.get(item));
    enrolled.delete(item);
    if (item instanceof timers.Timeout) clearTimeout(item);
    else item._idleTimeout = -1;
}
function enroll(item, msecs) {
    validate.number(msecs, 'msecs');
    if (!(msecs >= 0 && Number.isFinite(msecs))) throw outOfRange('msecs', 'a non-negative finite number', msecs);
    if (enrolled.has(item)) unenroll(item);
    item._idleTimeout = msecs;
}
function start(item, referenced) {
    const msecs = item._idleTimeout;
    if (msecs === undefined || msecs < 0) return;
    clearTimeout(enrolled.get(item));
    const timer = setTimeout(() => item._onTimeout?.(), msecs);
    if (!referenced) timer.unref();
    enrolled.set(item, timer);
}

module.exports = {
    _unrefActive: deprecate({ _unrefActive: item => start(item, false) }._unrefActive, 'timers._unrefActive() is deprecated. Please use timeout.refresh() instead.', 'DEP0127'),
    active: deprecate({ active: item => start(item, true) }.active, 'timers.active() is deprecated. Please use timeout.refresh() instead.', 'DEP0126'),
    unenroll: deprecate(unenroll, 'timers.unenroll() is deprecated. Please use clearTimeout instead.', 'DEP0096'),
    enroll: deprecate(enroll, 'timers.enroll() is deprecated. Please use setTimeout instead.', 'DEP0095'),
    setTimeout, clearTimeout, setImmediate, clearImmediate, setInterval, clearInterval,
    get promises() {
        return require('timers/promises');
    },
};
