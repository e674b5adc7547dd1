// v8: values as bytes, and the few figures and calls that make sense on another engine.
'use strict';

const { coded } = require('internal/errors');
const validate = require('internal/validators');

const used = () => native.engine.memory();
const LIMIT = 256 << 20;
const refused = name => () => {
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `v8.${name}() is not available in a sandbox: the engine is another one`);
};

const v8 = {
    cachedDataVersionTag: () => 0x51a1c6,
    getHeapSnapshot: refused('getHeapSnapshot'),
    getHeapStatistics: () => ({
        total_heap_size: used(), total_heap_size_executable: 0, total_physical_size: used(), total_available_size: LIMIT - used(), used_heap_size: used(),
        heap_size_limit: LIMIT, malloced_memory: used(), peak_malloced_memory: used(), does_zap_garbage: 0, number_of_native_contexts: 1,
        number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: 0,
    }),
    getHeapSpaceStatistics: () => [{ space_name: 'heap', space_size: used(), space_used_size: used(), space_available_size: LIMIT - used(), physical_space_size: used() }],
    getHeapCodeStatistics: () => ({ code_and_metadata_size: 0, bytecode_and_metadata_size: 0, external_script_source_size: 0, cpu_profiler_metadata_size: 0 }),
    setFlagsFromString: flags => validate.string(flags, 'flags'),
    setHeapSnapshotNearHeapLimit: limit => validate.uint32(limit, 'limit', true),
    stopCoverage() {},
    takeCoverage() {},
    writeHeapSnapshot: refused('writeHeapSnapshot'),
    queryObjects: refused('queryObjects'),
    promiseHooks: Object.fromEntries(['createHook', 'onInit', 'onBefore', 'onAfter', 'onSettled'].map(name => [name, refused(`promiseHooks.${name}`)])),
    startupSnapshot: Object.fromEntries(['addDeserializeCallback', 'addSerializeCallback', 'setDeserializeMainFunction', 'isBuildingSnapshot'].map(name => [name,
        name === 'isBuildingSnapshot' ? () => false : () => {
            throw coded(Error, 'ERR_NOT_BUILDING_SNAPSHOT', 'Operation cannot be invoked when not building startup snapshot');
        }])),
};
for (const name of ['Serializer', 'Deserializer', 'DefaultSerializer', 'DefaultDeserializer', 'serialize', 'deserialize']) {
    const define = value => Object.defineProperty(v8, name, { value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(v8, name, {
        get() {
            const { [name]: value } = require('internal/serdes');
            define(value);
            return value;
        },
        set: define, enumerable: true, configurable: true,
    });
}

module.exports = v8;
