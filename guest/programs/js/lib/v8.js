// v8: the few calls that make sense on another engine.
'use strict';

module.exports = {
    getHeapStatistics: () => ({ total_heap_size: native.engine.memory(), used_heap_size: native.engine.memory(), heap_size_limit: 256 << 20 }),
    setFlagsFromString() {},
};
