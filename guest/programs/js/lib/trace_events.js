// trace_events: nothing traces a sandbox from within.
'use strict';

const { coded } = require('internal/errors');

module.exports = {
    createTracing() {
        throw coded(Error, 'ERR_TRACE_EVENTS_UNAVAILABLE', 'Trace events are unavailable');
    },
    getEnabledCategories: () => undefined,
};
