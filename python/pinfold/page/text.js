// text.js: text and elements. Whatever a recording says goes through visible() into text nodes:
// nothing in this page is ever parsed as markup.

// What is invisible or turns the direction of text is shown as its escape, as pf_printable() does.
const HIDDEN = /[^\n\t\P{C}]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function escaped(character) {
  let out = "";
  for (let i = 0; i < character.length; i++)
    out += `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return out;
}

function visible(text) {
  return String(text).replace(HIDDEN, escaped);
}

// On one line.
function brief(given, most = 200) {
  const text = String(given);
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return visible(cut.replace(/\n/g, "⏎").replace(/\t/g, " "));
}

// An element: h("button", {class: "x", onclick: f, "aria-label": "…"}, "text", child, …).
function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element[name] = value;
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(4)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : visible(child));
  }
}

function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

function button(text, properties, action) {
  return h("button", { type: "button", onclick: action, ...properties }, text);
}

// Text for the eye has a class, text for the ear has this.
function unseen(text) {
  return h("span", { class: "unseen" }, text);
}

function plural(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function size(bytes) {
  if (bytes < 1024) return plural(bytes, "byte");
  const units = ["KB", "MB", "GB"];
  let unit = -1;
  let number = bytes;
  do {
    number /= 1024;
    unit++;
  } while (number >= 1024 && unit < 2);
  return `${number.toFixed(number < 10 ? 1 : 0)} ${units[unit]}`;
}

function fromBase64(text) {
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
  return out;
}

// A member of a line, whose bytes may be no UTF-8.
function member(line, name) {
  const text = line[name];
  if (text !== undefined) return String(text);
  const packed = line[`${name}_base64`];
  return packed === undefined ? "" : new TextDecoder().decode(fromBase64(packed));
}

// Says something to who hears the page. What comes quickly one after the other is said once.
const say = (() => {
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      document.getElementById("said").textContent = visible(text);
    }, 150);
  };
})();
