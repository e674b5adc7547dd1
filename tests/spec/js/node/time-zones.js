//// zone-of-the-process
const moments = [0, 1e11, 951782400000, 1704067200000, 1720000000000, 4e12];
for (const zone of ['America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC', 'America/Sao_Paulo', 'Pacific/Auckland']) {
    process.env.TZ = zone;
    console.log(Intl.DateTimeFormat().resolvedOptions().timeZone.replace('Calcutta', 'Kolkata'));
    for (const moment of moments) {
        const date = new Date(moment);
        console.log(date.toString(), date.getTimezoneOffset(), date.getHours(), date.toLocaleString());
    }
}
//// around-changes
// An hour is skipped, and one comes twice.
for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Auckland', 'UTC']) {
    process.env.TZ = zone;
    for (const [month, day] of [[2, 10], [2, 31], [9, 27], [10, 3], [3, 7], [9, 6], [8, 29]])
        console.log([0, 1, 2, 3, 4].map(hour => new Date(2024, month, day, hour, 30).toISOString()).join(' '));
    const date = new Date('2024-07-01T12:00');
    date.setMonth(0);
    console.log(date.toISOString(), Date.parse('2024-03-31 02:15'), new Date(2024, 0, 1).toDateString());
}
//// zones-of-intl
const styles = [{ timeZoneName: 'short' }, { timeZoneName: 'long' }, { timeZoneName: 'shortOffset' }, { timeZoneName: 'longOffset' }, { dateStyle: 'full', timeStyle: 'long' }, { hour: 'numeric', hour12: false }, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }];
for (const timeZone of ['America/New_York', 'america/los_angeles', 'Europe/London', 'Europe/Paris', 'Asia/Kolkata', 'Asia/Tokyo', 'Asia/Shanghai', 'Asia/Kathmandu', 'Australia/Sydney', 'Pacific/Honolulu', 'Africa/Johannesburg', 'utc', 'America/Denver', 'America/Anchorage'])
    for (const moment of [1704067200000, 1720000000000]) {
        const date = new Date(moment);
        console.log(timeZone, styles.map(style => date.toLocaleString('en-US', { ...style, timeZone })).join(' | '), date.toLocaleDateString('en-US', { timeZone }), date.toLocaleTimeString('en-US', { timeZone }));
    }
console.log(new Intl.DateTimeFormat('en-US', { timeZone: 'asia/tokyo' }).resolvedOptions().timeZone);
console.log(new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'short', hour: 'numeric' }).formatToParts(0).map(part => [part.type, part.value.replace('\u202f', ' ')]));
//// zones-that-are-none
for (const timeZone of ['Mars/Olympus', 'America', 'America/New_York/x', '', '../etc/passwd', 'America/', 5]) {
    try {
        new Intl.DateTimeFormat('en-US', { timeZone });
        console.log('taken', timeZone);
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
}
