// diagnostics_channel: named channels within the process.
'use strict';

const channels = new Map();

class Channel {
    #subscribers = [];
    constructor(name) {
        this.name = name;
    }
    get hasSubscribers() {
        return this.#subscribers.length > 0;
    }
    subscribe(fn) {
        this.#subscribers = [...this.#subscribers, fn];
    }
    unsubscribe(fn) {
        const at = this.#subscribers.indexOf(fn);
        if (at === -1) return false;
        this.#subscribers = this.#subscribers.toSpliced(at, 1);
        return true;
    }
    publish(message) {
        for (const fn of this.#subscribers) fn(message, this.name);
    }
}

function channel(name) {
    if (!channels.has(name)) channels.set(name, new Channel(name));
    return channels.get(name);
}

module.exports = {
    Channel, channel,
    hasSubscribers: name => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name, fn) => channel(name).subscribe(fn),
    unsubscribe: (name, fn) => channel(name).unsubscribe(fn),
};
