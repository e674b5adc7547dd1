// tty: is a descriptor a terminal?
'use strict';

module.exports = { isatty: fd => Number.isInteger(fd) && fd >= 0 && native.process.isatty(fd) };
