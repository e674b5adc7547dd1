// locale: the parts of Intl that programs lean on, for English (en-US); other locales get that, too, but
// for the numeric dates of a few (numericDates).
//
// toLocaleString of numbers and dates, localeCompare, Intl.NumberFormat, DateTimeFormat, Collator,
// PluralRules and ListFormat. Time zones are those of /usr/share/zoneinfo.
'use strict';

// ---------------------------------------------------------------- names of locales

const localeName = /^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/i;

// The names that an argument `locales` has, in their usual case; throws as Node does.
function localeList(locales) {
    if (locales === undefined) return [];
    if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
    const list = typeof locales === 'string' ? [locales] : typeof locales === 'object' ? Array.from(locales) : [];
    return [...new Set(list.map(name => {
        if (typeof name !== 'string' && (typeof name !== 'object' || name === null)) throw new TypeError('Language ID should be string or object.');
        if (!localeName.test(name)) throw new RangeError('Incorrect locale information provided');
        let inExtension = false;
        return `${name}`.toLowerCase().split('-').map((part, i) => {
            inExtension ||= i > 0 && part.length === 1;
            if (i === 0 || inExtension) return part;
            return part.length === 2 ? part.toUpperCase() : /^[a-z]{4}$/.test(part) ? part[0].toUpperCase() + part.slice(1) : part;
        }).join('-');
    }))];
}

// ---------------------------------------------------------------- numbers

const currencies = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', CNY: 'CN¥', INR: '₹', KRW: '₩', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', NZD: 'NZ$', ILS: '₪', VND: '₫', PHP: '₱', TWD: 'NT$', HKD: 'HK$' };
const currencyDigits = { JPY: 0, KRW: 0, VND: 0, CLP: 0, ISK: 0, KWD: 3, BHD: 3, JOD: 3, OMR: 3, TND: 3 };
const units = { percent: '%', kilobyte: ' kB', megabyte: ' MB', gigabyte: ' GB', byte: ' byte', kilometer: ' km', meter: ' m', centimeter: ' cm', kilogram: ' kg', gram: ' g', liter: ' L', celsius: '°C', fahrenheit: '°F', second: ' sec', minute: ' min', hour: ' hr', day: ' day', mile: ' mi', 'kilometer-per-hour': ' km/h', 'mile-per-hour': ' mph' };

// The shortest decimal digits of a number: {digits, exponent} for 0.d1d2d3… × 10^exponent.
function decimal(value) {
    const [mantissa, power] = (typeof value === 'bigint' ? `${value}e0` : value.toExponential()).split('e');
    if (typeof value === 'bigint') return { digits: mantissa, exponent: mantissa.length };
    return { digits: mantissa.replace('.', ''), exponent: Number(power) + 1 };
}

// Rounds to `keep` digits, halves away from zero.
function round({ digits, exponent }, keep) {
    if (keep < 0) return { digits: '0', exponent: 1 };
    if (keep >= digits.length) return { digits, exponent };
    const up = digits[keep] >= '5';
    let kept = digits.slice(0, keep);
    if (up) {
        const sum = (BigInt(kept || '0') + 1n).toString().padStart(keep, '0');
        if (sum.length > keep) exponent++;
        kept = sum;
    }
    return kept === '' ? { digits: '0', exponent: 1 } : { digits: kept, exponent };
}

function layOut({ digits, exponent }) {
    if (exponent <= 0) return ['0', '0'.repeat(-exponent) + digits];
    if (digits.length <= exponent) return [digits.padEnd(exponent, '0'), ''];
    return [digits.slice(0, exponent), digits.slice(exponent)];
}

const group = whole => whole.replace(/\B(?=(\d{3})+$)/g, ',');

function range(value, low, high, fallback, name) {
    if (value === undefined) return fallback;
    const number = Math.floor(Number(value));
    if (!(number >= low && number <= high)) throw new RangeError(`${name} value is out of range.`);
    return number;
}

class NumberFormat {
    #options;
    constructor(locales, options = {}) {
        localeList(locales);
        const style = options.style ?? 'decimal';
        if (!['decimal', 'percent', 'currency', 'unit'].includes(style)) throw new RangeError(`Value ${style} out of range for Intl.NumberFormat options property style`);
        if (style === 'currency' && options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
        const currency = options.currency?.toUpperCase();
        const compact = options.notation === 'compact';
        const usual = style === 'currency' ? currencyDigits[currency] ?? 2 : 0;
        const min = range(options.minimumFractionDigits, 0, 100, undefined, 'minimumFractionDigits');
        const max = range(options.maximumFractionDigits, 0, 100, undefined, 'maximumFractionDigits');
        const least = style === 'currency' ? usual : style === 'percent' ? 0 : 3;
        if (min !== undefined && max !== undefined && min > max) throw new RangeError('maximumFractionDigits value is out of range.');
        this.#options = {
            locale: 'en-US', numberingSystem: 'latn', style, currency, notation: options.notation ?? 'standard', currencyDisplay: options.currencyDisplay ?? 'symbol',
            unit: options.unit, unitDisplay: options.unitDisplay ?? 'short', useGrouping: options.useGrouping ?? true, signDisplay: options.signDisplay ?? 'auto', compactDisplay: options.compactDisplay ?? 'short',
            minimumIntegerDigits: range(options.minimumIntegerDigits, 1, 21, 1, 'minimumIntegerDigits'),
            minimumFractionDigits: min ?? Math.min(usual, max ?? usual), maximumFractionDigits: max ?? Math.max(min ?? usual, least),
            minimumSignificantDigits: options.minimumSignificantDigits, maximumSignificantDigits: options.maximumSignificantDigits ?? (options.minimumSignificantDigits === undefined ? undefined : 21),
            short: compact && min === undefined && max === undefined && options.maximumSignificantDigits === undefined,
        };
        this.format = value => this.#format(value);
    }
    resolvedOptions() {
        const { short, ...options } = this.#options;
        return options;
    }
    #digits(value) {
        const o = this.#options;
        let number = decimal(value);
        let minimum = o.minimumFractionDigits;
        if (o.maximumSignificantDigits !== undefined) {
            number = round(number, o.maximumSignificantDigits);
            minimum = Math.max(0, (o.minimumSignificantDigits ?? 1) - number.exponent);
            if (number.exponent <= 0) minimum = (o.minimumSignificantDigits ?? 1) - number.exponent;
        } else if (o.short) {
            number = round(number, Math.max(2, number.exponent));
            minimum = 0;
        } else {
            number = round(number, number.exponent + o.maximumFractionDigits);
        }
        let [whole, fraction] = layOut(number);
        fraction = fraction.replace(/0+$/, '').padEnd(minimum, '0');
        whole = whole.replace(/^0+(?=\d)/, '').padStart(o.minimumIntegerDigits, '0');
        const grouped = o.useGrouping && o.useGrouping !== 'false' && !(o.notation === 'compact' && whole.length < 5) ? group(whole) : whole;
        return grouped + (fraction ? `.${fraction}` : '');
    }
    // The mantissa, and the power of ten that it is of, as text.
    #power(value) {
        const step = this.#options.notation === 'engineering' ? 3 : 1;
        let power = value === 0 ? 0 : Math.floor((decimal(value).exponent - 1) / step) * step;
        if (Number(this.#digits(shift(value, -power)).replaceAll(',', '')) >= 10 ** step) power += step;
        return [shift(value, -power), `E${power}`];
    }
    #format(value) {
        const o = this.#options;
        if (typeof value !== 'bigint') value = Number(value);
        let negative = value < 0 || Object.is(value, -0);
        let text, suffix = '';
        if (Number.isNaN(value)) {
            text = 'NaN';
            negative = false;
        } else {
            let magnitude = value < 0 ? -value : value;
            if (magnitude === Infinity) text = '∞';
            else {
                if (o.style === 'percent') magnitude = typeof magnitude === 'bigint' ? magnitude * 100n : Number(`${magnitude}`.includes('e') ? magnitude * 100 : shift(magnitude, 2));
                if (o.notation === 'compact') [magnitude, suffix] = compactOf(Number(magnitude), o.compactDisplay);
                if (o.notation === 'scientific' || o.notation === 'engineering') [magnitude, suffix] = this.#power(Number(magnitude));
                text = this.#digits(magnitude);
                if (o.notation === 'compact' && /^1,?000$/.test(text) && suffix !== '') {
                    const [again, next] = compactOf(1000 * scaleOf(suffix), o.compactDisplay);
                    [text, suffix] = [this.#digits(again), next];
                }
                if (negative && /^[0.,]*$/.test(text) && o.signDisplay === 'negative') negative = false;
            }
        }
        text += suffix;
        const sign = o.signDisplay === 'never' ? '' : negative ? '-'
            : o.signDisplay === 'always' || (o.signDisplay === 'exceptZero' && !/^[0.,]*$/.test(text)) ? '+' : '';
        if (o.style === 'percent') return `${sign}${text}%`;
        if (o.style === 'unit') {
            const unit = units[o.unit] ?? ` ${o.unit}`;
            const many = text !== '1' && ['byte', 'day'].includes(o.unit) ? 's' : '';
            return `${sign}${text}${o.unitDisplay === 'long' ? ` ${o.unit.replaceAll('-', ' ')}${text === '1' ? '' : 's'}` : unit + many}`;
        }
        if (o.style === 'currency') {
            if (o.currencyDisplay === 'name') return `${sign}${text} ${o.currency}`;
            const symbol = o.currencyDisplay === 'code' ? undefined : o.currencyDisplay === 'narrowSymbol' ? (currencies[o.currency] ?? o.currency).replace(/^[A-Z]{2}(?=.)/, '') : currencies[o.currency];
            return `${sign}${symbol ?? `${o.currency}\u00a0`}${text}`;
        }
        return sign + text;
    }
    formatToParts(value) {
        const words = { currency: 'currency', unit: 'unit' }[this.#options.style] ?? 'compact';
        const signs = { ',': 'group', '.': 'decimal', '-': 'minusSign', '+': 'plusSign', '%': 'percentSign', NaN: 'nan', '∞': 'infinity', E: 'exponentSeparator' };
        const power = /^(?:scientific|engineering)$/.test(this.#options.notation);
        let digits = 'integer', wasPower = false;
        return this.#format(value).match(/\d+|[,.%+∞-]|NaN|\s|[^\d,.%+∞\s-]+/g).map(text => {
            if (/^\d/.test(text)) return { type: digits, value: text };
            if (text === '.') digits = 'fraction';
            if (wasPower) return { type: 'exponentMinusSign', value: text };
            if (power && text === 'E') [digits, wasPower] = ['exponentInteger', true];
            return { type: /^\s$/.test(text) ? 'literal' : (text !== 'E' || power) && signs[text] || words, value: text };
        });
    }
    static supportedLocalesOf(locales) {
        return localeList(locales);
    }
}

// value × 10^places, in decimal, so that 0.07 gives 7 and not 7.000000000000001
function shift(value, places) {
    const { digits, exponent } = decimal(value);
    return Number(`0.${digits}e${exponent + places}`);
}

const scales = [[1e12, 'T', ' trillion'], [1e9, 'B', ' billion'], [1e6, 'M', ' million'], [1e3, 'K', ' thousand']];
const scaleOf = suffix => scales.find(([, short, long]) => short === suffix || long === suffix)?.[0] ?? 1;
function compactOf(value, display) {
    for (const [scale, short, long] of scales) if (value >= scale) return [value / scale, display === 'long' ? long : short];
    return [value, ''];
}

// ---------------------------------------------------------------- dates

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const two = number => String(number).padStart(2, '0');

const dateStyles = {
    full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' },
    medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' },
};
const timeStyles = {
    full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' }, long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' },
};
const dateFields = ['weekday', 'era', 'year', 'month', 'day'], timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

// Dates of year, month and day in digits, and times beside them, where English programs use the form of
// another locale: order, separator, whether days and months have two digits, 24 hours, what joins both.
const numericDates = {
    'en-CA': [['year', 'month', 'day'], '-', true, false, ', '], 'en-GB': [['day', 'month', 'year'], '/', true, true, ', '],
    'sv-SE': [['year', 'month', 'day'], '-', true, true, ' '], 'de-DE': [['day', 'month', 'year'], '.', false, true, ', '],
};
Object.assign(numericDates, { sv: numericDates['sv-SE'], de: numericDates['de-DE'] });

// The entry of a locale if it knows the form that the options ask for.
function numericForm(locales, o) {
    const form = numericDates[localeList(locales)[0]?.replace(/-u-.*/, '')];
    if (form === undefined || o.dateStyle || o.timeStyle || o.weekday || o.era || o.timeZoneName || o.dayPeriod) return undefined;
    const dated = o.year || o.month || o.day, timed = o.hour || o.minute || o.second;
    if (dated && !(o.year === 'numeric' && /^(?:numeric|2-digit)$/.test(o.month) && o.day)) return undefined;
    return timed && !(o.hour && o.minute) ? undefined : form;
}

const zoneFolder = '/usr/share/zoneinfo';
const zoneNames = new Map(); // names as they were given, and what the database calls them

function findZone(name) {
    const fs = require('fs');
    const isFolder = path => fs.statSync(path).isDirectory();
    let path = zoneFolder;
    for (const part of name.split('/')) {
        const entries = isFolder(path) ? fs.readdirSync(path) : [];
        const entry = entries.includes(part) ? part : entries.find(one => one.toLowerCase() === part.toLowerCase());
        if (entry === undefined) throw new RangeError(`Invalid time zone specified: ${name}`);
        path += `/${entry}`;
    }
    if (isFolder(path)) throw new RangeError(`Invalid time zone specified: ${name}`);
    return path.slice(zoneFolder.length + 1);
}

// The database's spelling of a zone's name, whatever its case. A formatter is made for every
// toLocaleString(): folders are read once for a name.
function zoneName(given) {
    const name = String(given);
    if (/^(?:utc|gmt|etc\/(?:utc|gmt|uct)|uct|zulu|[+-]00:?00)$/i.test(name)) return 'UTC';
    if (!zoneNames.has(name)) zoneNames.set(name, findZone(name));
    return zoneNames.get(name);
}

// The zone of the process, as Node has it: what TZ names, else UTC.
function ownZone() {
    try {
        return process.env.TZ ? zoneName(process.env.TZ.replace(/^:/, '')) : 'UTC';
    } catch {
        return 'UTC';
    }
}

const offsetText = (seconds, long) => {
    const minutes = Math.abs(Math.trunc(seconds / 60)), rest = minutes % 60;
    return `GMT${seconds < 0 ? '-' : '+'}${long ? two(Math.floor(minutes / 60)) : Math.floor(minutes / 60)}${long || rest ? `:${two(rest)}` : ''}`;
};

// What English (en-US) calls a zone at a time, in the ways that timeZoneName knows.
function zoneText(zone, [offset, short, long], way) {
    if (way === 'longOffset' || way === 'shortOffset') return offsetText(offset, way === 'longOffset');
    if (way === 'long' || way === 'longGeneric') return way === 'long' ? long : long.replace(/ (?:Standard|Daylight|Summer) Time$/, ' Time');
    if (zone === 'UTC') return 'UTC';
    const american = /^(?:America|US|Canada)\/|^Pacific\/(?:Honolulu|Johnston)$|^(?:[EMCP]ST\d|Navajo)/.test(zone) && /^(?:[ECMP][SD]T|AK[SD]T|H[SD]T|A[SD]T)$/.test(short) && !/^(?:Cuba|Mexican|Newfoundland)/.test(long);
    if (offset === 0) return 'GMT';
    if (!american || /^A[SD]T$/.test(short) && !/^(?:America\/(?:Halifax|Puerto_Rico|Glace_Bay|Moncton|Goose_Bay|Thule)|Canada\/Atlantic)$/.test(zone)) return offsetText(offset, false);
    return way === 'shortGeneric' ? short.replace(/[SD]T$/, 'T') : short;
}

class DateTimeFormat {
    #o;
    #zone;
    #form;
    constructor(locales, options = {}, need = 'any', defaults = 'date') {
        this.#zone = options.timeZone === undefined ? ownZone() : zoneName(options.timeZone);
        const o = { ...options };
        if (o.dateStyle || o.timeStyle) {
            if ([...dateFields, ...timeFields].some(field => options[field] !== undefined)) throw new TypeError(`Can't set option ${[...dateFields, ...timeFields].find(field => options[field] !== undefined)} when ${o.dateStyle ? 'dateStyle' : 'timeStyle'} is used`);
            Object.assign(o, dateStyles[o.dateStyle], timeStyles[o.timeStyle]);
        } else {
            const has = fields => fields.some(field => o[field] !== undefined);
            const none = (need === 'date' ? !has(dateFields) : need === 'time' ? !has(timeFields) : !has(dateFields) && !has(timeFields));
            if (none && (defaults === 'date' || defaults === 'all')) Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' });
            if (none && (defaults === 'time' || defaults === 'all')) Object.assign(o, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
        }
        this.#o = o;
        this.#form = numericForm(locales, o);
        this.format = date => this.#format(date === undefined ? new Date() : new Date(date));
    }
    resolvedOptions() {
        return { locale: 'en-US', calendar: 'gregory', numberingSystem: 'latn', ...this.#o, timeZone: this.#zone };
    }
    formatToParts(date) {
        return this.#parts(date === undefined ? new Date() : new Date(date));
    }
    formatRange(from, to) {
        return `${this.format(from)}\u2009–\u2009${this.format(to)}`;
    }
    #format(date) {
        return this.#parts(date).map(part => part.value).join('');
    }
    #parts(date) {
        if (Number.isNaN(date.getTime())) throw new RangeError('Invalid time value');
        const zone = this.#zone === 'UTC' ? [0, 'UTC', 'Coordinated Universal Time'] : native.time.zone(this.#zone, Math.floor(date.getTime() / 1000));
        const local = new Date(date.getTime() + zone[0] * 1000); // its UTC fields are the zone's
        const parts = this.#date(local), time = this.#time(local, zone);
        if (parts.length && time.length) parts.push({ type: 'literal', value: this.#form?.[4] ?? ((this.#o.dateStyle === 'full' || this.#o.dateStyle === 'long') ? ' at ' : ', ') });
        return [...parts, ...time];
    }
    #date(date) {
        const o = this.#o, out = [];
        const add = (type, value) => out.push({ type, value });
        const year = o.year && (o.year === '2-digit' ? two(date.getUTCFullYear() % 100) : String(date.getUTCFullYear()));
        const day = o.day && (o.day === '2-digit' ? two(date.getUTCDate()) : String(date.getUTCDate()));
        const index = date.getUTCMonth();
        const weekday = o.weekday && { long: days[date.getUTCDay()], short: days[date.getUTCDay()].slice(0, 3), narrow: days[date.getUTCDay()][0] }[o.weekday];
        const words = o.month === 'long' || o.month === 'short' || o.month === 'narrow';
        const month = o.month && { long: months[index], short: months[index].slice(0, 3), narrow: months[index][0], numeric: String(index + 1), '2-digit': two(index + 1) }[o.month];
        const join = (separator, ...items) => items.filter(([, value]) => value).forEach(([type, value], i) => {
            if (i) add('literal', typeof separator === 'function' ? separator(type) : separator);
            add(type, value);
        });
        if (this.#form && day) {
            const [order, separator, padded] = this.#form;
            const fields = { year, month: padded ? two(index + 1) : month, day: padded ? two(date.getUTCDate()) : day };
            join(separator, ...order.map(type => [type, fields[type]]));
            return out;
        }
        if (weekday) {
            add('weekday', weekday);
            if (month || day || year) add('literal', !month && day && !year ? ' ' : ', ');
            if (!month && day && !year) {
                out.unshift({ type: 'day', value: day }, { type: 'literal', value: ' ' });
                out.length = 3;
                return out;
            }
        }
        if (words) join(type => (type === 'year' ? (day ? ', ' : ' ') : ' '), ['month', month], ['day', day], ['year', year]);
        else join('/', ['month', month], ['day', day], ['year', year]);
        return out;
    }
    #time(date, zone) {
        const o = this.#o, out = [];
        if (!o.hour && !o.minute && !o.second) return o.timeZoneName ? [{ type: 'timeZoneName', value: zoneText(this.#zone, zone, o.timeZoneName) }] : out;
        const add = (type, value) => out.push({ type, value });
        const twelve = o.hour12 ?? (o.hourCycle === undefined ? !this.#form?.[3] : !(o.hourCycle === 'h23' || o.hourCycle === 'h24'));
        const hour = date.getUTCHours(), shown = twelve ? hour % 12 || 12 : o.hourCycle === 'h24' || (o.hour12 === false && hour === 0 && !this.#form?.[3]) ? hour || 24 : hour;
        const items = [];
        if (o.hour) items.push(['hour', o.hour === '2-digit' || !twelve ? two(shown) : String(shown)]);
        if (o.minute) items.push(['minute', o.hour || o.second || o.minute === '2-digit' && o.hour ? two(date.getUTCMinutes()) : String(date.getUTCMinutes())]);
        if (o.second) items.push(['second', o.minute || o.hour ? two(date.getUTCSeconds()) : String(date.getUTCSeconds())]);
        items.forEach(([type, value], i) => {
            if (i) add('literal', ':');
            add(type, value);
        });
        if (o.fractionalSecondDigits) {
            add('literal', '.');
            add('fractionalSecond', String(date.getUTCMilliseconds()).padStart(3, '0').slice(0, o.fractionalSecondDigits));
        }
        if (o.hour && twelve) {
            add('literal', ' ');
            const [am, pm] = this.#form?.[0][0] === 'year' ? ['a.m.', 'p.m.'] : this.#form?.[1] === '/' ? ['am', 'pm'] : ['AM', 'PM'];
            add('dayPeriod', hour < 12 ? am : pm);
        }
        if (o.timeZoneName) {
            add('literal', ' ');
            add('timeZoneName', zoneText(this.#zone, zone, o.timeZoneName));
        }
        return out;
    }
    static supportedLocalesOf(locales) {
        return NumberFormat.supportedLocalesOf(locales);
    }
}

// ---------------------------------------------------------------- comparing

// The order of the root collation for ASCII: punctuation, symbols, digits, letters.
const weights = new Uint8Array(128);
[...'\t\n\v\f\r _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789'].forEach((c, i) => void (weights[c.charCodeAt(0)] = i + 1));
for (let i = 0; i < 26; i++) weights[97 + i] = weights[65 + i] = 100 + i;

const asciiOnly = /^[\x00-\x7f]*$/;

function primary(code) {
    return code < 128 ? weights[code] : code + 1000;
}

function comparePrimary(a, b, numeric) {
    let i = 0, j = 0;
    while (i < a.length && j < b.length) {
        let x = a.charCodeAt(i), y = b.charCodeAt(j);
        if (numeric && x >= 48 && x <= 57 && y >= 48 && y <= 57) {
            const left = /^0*(\d*)/.exec(a.slice(i)), right = /^0*(\d*)/.exec(b.slice(j));
            if (left[1].length !== right[1].length) return left[1].length - right[1].length;
            if (left[1] !== right[1]) return left[1] < right[1] ? -1 : 1;
            i += left[0].length;
            j += right[0].length;
            continue;
        }
        x = primary(x);
        y = primary(y);
        if (x === 0) i++;
        else if (y === 0) j++;
        else if (x !== y) return x - y;
        else {
            i++;
            j++;
        }
    }
    return (a.length - i) - (b.length - j);
}

// Lower case comes before upper case at the first difference.
function compareCase(a, b) {
    for (let i = 0; i < a.length && i < b.length; i++) {
        const x = a.charCodeAt(i), y = b.charCodeAt(i);
        if (x !== y) return a[i] === a[i].toLowerCase() ? -1 : 1;
    }
    return 0;
}

function compare(a, b, { sensitivity = 'variant', numeric = false, caseFirst = 'false' } = {}) {
    if (a === b) return 0;
    let left = a, right = b, accents = 0;
    if (!asciiOnly.test(a) || !asciiOnly.test(b)) {
        left = a.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '');
        right = b.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '');
        const bare = text => text.normalize('NFD').toLowerCase().replace(/[^\p{M}]/gu, ' ');
        const x = bare(a), y = bare(b);
        accents = x < y ? -1 : x > y ? 1 : 0;
    }
    const order = comparePrimary(left, right, numeric);
    if (order !== 0) return order < 0 ? -1 : 1;
    if (sensitivity === 'base') return 0;
    if (accents !== 0 && sensitivity !== 'case') return accents;
    if (sensitivity === 'accent') return 0;
    const cased = compareCase(a.normalize('NFD'), b.normalize('NFD'));
    return caseFirst === 'upper' ? -cased : cased;
}

class Collator {
    #options;
    constructor(locales, options = {}) {
        localeList(locales);
        this.#options = { usage: 'sort', sensitivity: 'variant', ignorePunctuation: false, collation: 'default', numeric: false, caseFirst: 'false', ...options };
        if (/-u-.*kn(?!-false)/.test(locales ?? '')) this.#options.numeric = true;
        this.compare = (a, b) => compare(`${a}`, `${b}`, this.#options);
    }
    resolvedOptions() {
        return { locale: 'en-US', ...this.#options };
    }
    static supportedLocalesOf(locales) {
        return NumberFormat.supportedLocalesOf(locales);
    }
}

class PluralRules {
    #type;
    constructor(locales, options = {}) {
        localeList(locales);
        this.#type = options.type ?? 'cardinal';
    }
    select(value) {
        if (this.#type === 'cardinal') return Number(value) === 1 ? 'one' : 'other';
        const ten = value % 10, hundred = value % 100;
        if (ten === 1 && hundred !== 11) return 'one';
        if (ten === 2 && hundred !== 12) return 'two';
        return ten === 3 && hundred !== 13 ? 'few' : 'other';
    }
}

class ListFormat {
    #word;
    constructor(locales, { type = 'conjunction' } = {}) {
        localeList(locales);
        this.#word = type === 'disjunction' ? 'or' : type === 'unit' ? '' : 'and';
    }
    format(list) {
        const items = [...list];
        if (items.length < 2) return items.join('');
        if (this.#word === '') return items.join(', ');
        if (items.length === 2) return items.join(` ${this.#word} `);
        return `${items.slice(0, -1).join(', ')}, ${this.#word} ${items.at(-1)}`;
    }
}

const relativeUnits = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
const relativeWords = {
    day: ['yesterday', 'today', 'tomorrow'], second: [, 'now'],
    ...Object.fromEntries(['week', 'month', 'quarter', 'year'].map(unit => [unit, [`last ${unit}`, `this ${unit}`, `next ${unit}`]])),
    hour: [, 'this hour'], minute: [, 'this minute'],
};

class RelativeTimeFormat {
    #auto;
    constructor(locales, { numeric = 'always', style = 'long' } = {}) {
        localeList(locales);
        if (!['always', 'auto'].includes(numeric)) throw new RangeError(`Value ${numeric} out of range for Intl.RelativeTimeFormat options property numeric`);
        if (style !== 'long') throw new RangeError(`Intl.RelativeTimeFormat: only the style long is known here, not ${style}`);
        this.#auto = numeric === 'auto';
    }
    format(value, unit) {
        const n = Number(value), one = `${unit}`.replace(/s$/, '');
        if (!Number.isFinite(n)) throw new RangeError('Invalid time value');
        if (!relativeUnits.includes(one)) throw new RangeError(`Invalid unit argument for format() '${unit}'`);
        const past = n < 0 || Object.is(n, -0), word = this.#auto && [-1, 0, 1].includes(n) && relativeWords[one][n + 1];
        if (word) return word;
        const amount = `${new NumberFormat().format(Math.abs(n))} ${one}${Math.abs(n) === 1 ? '' : 's'}`;
        return past ? `${amount} ago` : `in ${amount}`;
    }
}

// The three that may be called without `new`.
const callable = Class => new Proxy(Class, { apply: (target, self, args) => new target(...args) });

const Intl = { Collator: callable(Collator), DateTimeFormat: callable(DateTimeFormat), ListFormat, NumberFormat: callable(NumberFormat), PluralRules, RelativeTimeFormat };
Object.assign(Intl, { getCanonicalLocales: localeList });
Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
for (const name of Object.keys(Intl)) Object.defineProperty(Intl, name, { enumerable: false });

module.exports = {
    Intl, compare,
    number: (value, locales, options) => new NumberFormat(locales, options).format(value),
    date: (value, locales, options, need, defaults) =>
        Number.isNaN(value.getTime()) ? 'Invalid Date' : new DateTimeFormat(locales, options, need, defaults).format(value),
};
