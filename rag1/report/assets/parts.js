"use strict";
// Every text comes in as a text node: nothing of the data is ever read as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const number = (value, digits = 3) =>
  value === null || value === undefined ? "–" : Number(value).toFixed(digits).replace(/^-(0\.?0*)$/, "$1");

const money = (usd) => (usd === null || usd === undefined ? "unknown" : "$" + (usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)));

const unique = (values) => [...new Set(values)].filter((value) => value !== "").sort((a, b) => a.localeCompare(b, "ja"));

function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value)))));
}

function field(name, control) {
  return el("div", { class: "field" }, el("label", { for: control.id }, name), control);
}

function choice(name, values, changed) {
  const select = el("select", { id: "filter-" + name.toLowerCase(), onchange: changed },
    el("option", { value: "" }, "all"), values.map((value) => el("option", { value: "=" + value }, value)));
  return { node: field(name, select), get value() { return select.value.slice(1); }, get any() { return select.value === ""; } };
}

function search(changed) {
  const input = el("input", { id: "filter-text", type: "search", oninput: changed });
  return { node: field("Text", input), get value() { return input.value.trim().toLowerCase(); } };
}

// columns: {title, value(row) for sorting, cell(row) → td, number}. Clicking a title sorts; a row opens its detail.
function table(columns, rows, id, detail) {
  const body = el("tbody");
  let shown = rows, sorted = null, down = false;
  const heads = columns.map((column) => el("th", { scope: "col", class: column.number ? "number" : null },
    column.value ? el("button", { type: "button", onclick: () => sortBy(column) }, column.title) : column.title));
  const lines = new Map();

  function line(row) {
    if (!lines.has(row)) {
      lines.set(row, el("tr", { "data-index": row.index }, columns.map((column) => column.cell(row, toggle))));
      if (detail) opensByClick(lines.get(row));
    }
    return lines.get(row);
  }
  function toggle(row, button) {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) line(row).nextSibling.remove();
    else line(row).after(el("tr", { class: "detail" }, el("td", { colspan: columns.length }, detail(row))));
  }
  function draw() {
    const order = [...shown];
    if (sorted) order.sort((a, b) => compare(sorted.value(a), sorted.value(b)) * (down ? -1 : 1));
    for (const button of body.querySelectorAll("button[aria-expanded=true]")) button.setAttribute("aria-expanded", "false");
    body.replaceChildren(...order.map(line));
  }
  function sortBy(column) {
    down = sorted === column ? !down : false;
    sorted = column;
    heads.forEach((head, place) => {
      if (columns[place] === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    draw();
  }
  draw();
  return {
    node: el("div", { class: "scroll" }, el("table", { id }, el("thead", {}, el("tr", {}, heads)), body)),
    show(some) { shown = some; draw(); },
  };
}

function compare(a, b) {
  const none = (value) => value === null || value === undefined || value === "";
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "ja", { numeric: true });
}

function opener(row, toggle) {
  const button = el("button", { class: "open", type: "button", "aria-expanded": "false" }, row.index);
  button.setAttribute("aria-label", "Question " + row.index + ": details");
  button.addEventListener("click", () => toggle(row, button));
  return el("td", {}, button);
}

// The whole line opens its question, for a mouse; the button in it is for the keyboard. Marking text opens nothing.
function opensByClick(row) {
  row.classList.add("opens");
  row.addEventListener("click", (event) => {
    if (!event.target.closest("button, a") && getSelection().isCollapsed) row.querySelector("button.open")?.click();
  });
}

// Without a language, browsers show Japanese with Chinese shapes of the characters where no Japanese font comes first.
const cell = (text, kind) => el("td", { class: kind || null, lang: kind === "text" ? "ja" : null }, text);
const quote = (...parts) => el("blockquote", { lang: "ja" }, ...parts);
const label = (text) => el("span", { class: "label " + (text || "none") }, text || "–");

function marked(text, pieces) {
  const parts = [];
  let rest = text;
  for (const piece of pieces) {
    const place = piece ? rest.indexOf(piece) : -1;
    if (place < 0) continue;
    parts.push(rest.slice(0, place), el("mark", {}, piece));
    rest = rest.slice(place + piece.length);
  }
  return [...parts, rest];
}
