"""What JavaScript programs of amla-sandbox expect and pinfold's do not have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any


def js_name(name: str) -> str:
    """The global of a tool.

    >>> js_name("weather/current-conditions")
    'weather_current_conditions'
    """
    return re.sub(r"[./\-:]", "_", name)


def prelude(tools: Iterable[Mapping[str, Any]]) -> str:
    """The program that runs before every program."""
    described = [
        {
            "js": js_name(tool["name"]),
            "name": tool["name"],
            "info": {
                "id": f"mcp:{tool['name']}",
                "name": tool["name"],
                "description": tool["description"],
                "inputSchema": tool["schema"],
            },
        }
        for tool in tools
    ]
    return _SOURCE.replace("__LIST__", json.dumps(described).replace("\u2028", "\\u2028"))


_SOURCE = r"""
(() => {
    const described = __LIST__;
    const define = (name, value) => Object.defineProperty(globalThis, name,
        { value, writable: true, enumerable: false, configurable: true });
    const host = tools, infos = Object.create(null);
    for (const { js, name, info } of described) {
        infos[js] = info;
        define(js, (params = {}) => {
            if (params === null || typeof params !== 'object' || Array.isArray(params))
                return Promise.reject(new TypeError(
                    `${js}() argument must be a mapping: one object, not ${typeof params}`));
            return host[name](params);
        });
    }
    define('__tools__', infos);
    define('listTools', () => Object.keys(infos));
    define('getToolInfo', name => infos[name]);

    // Files are asynchronous only, and what stat() gives has values, not methods.
    const { stat, lstat } = fs;
    const kinds = ['isDirectory', 'isFile', 'isSymbolicLink', 'isFIFO', 'isSocket',
        'isBlockDevice', 'isCharacterDevice'];
    const asValues = found => {
        const plain = Object.assign({}, found);
        for (const kind of kinds) plain[kind] = found[kind]();
        return plain;
    };
    const own = {
        stat: async (path, ...rest) => asValues(await stat.call(fs, path, ...rest)),
        lstat: async (path, ...rest) => asValues(await lstat.call(fs, path, ...rest)),
        exists: async path => {
            try { await stat.call(fs, path); return true; } catch { return false; }
        },
    };
    for (const name of Object.keys(fs)) {
        if (!name.endsWith('Sync')) continue;
        const twin = name.slice(0, -4);
        own[name] = () => {
            throw new Error(`fs.${name} is not available: use await fs.${twin}(...)`);
        };
    }
    define('fs', new Proxy(fs, {
        get: (object, key) => Object.hasOwn(own, key) ? own[key] : Reflect.get(object, key),
    }));
})();
"""
