const judge = data.judge;
const verdict = (row) => (["error", "timeout", "budget"].includes(row.stop) ? row.stop : (row.scores[judge] || {}).label || "");
const total = (key) => data.rows.reduce((sum, row) => sum + (row.usage[key] || 0), 0);

function header() {
  const priced = data.rows.every((row) => row.usage.usd !== null);
  const counts = Object.entries(data.counts).map(([name, value]) => [name, value]);
  return el("header", {}, el("h1", {}, data.name),
    facts([...counts, ["tokens in", total("prompt_tokens")], ["tokens out", total("completion_tokens")],
      ["cost", priced ? money(total("usd")) : "unknown"],
      ["seconds, summed over questions", number(data.rows.reduce((sum, row) => sum + row.seconds, 0), 1)]]),
    el("details", {}, el("summary", {}, "Recipe"), el("div", { class: "scroll" }, el("table", {}, el("tbody", {},
      data.recipe.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), cell(value, "text"))))))));
}

function bar(one) {
  const low = Math.min(-1, one.low), at = (value) => 4 + (112 * (value - low)) / (1 - low);
  const from = one.low < 0 || one.name === judge ? at : (value) => 4 + 112 * value;
  const drawing = svg("svg", { width: 120, height: 14, viewBox: "0 0 120 14", "aria-hidden": "true" },
    svg("line", { class: "axis", x1: 4, x2: 116, y1: 7, y2: 7 }),
    svg("line", { class: "span", x1: from(one.low), x2: from(one.high), y1: 7, y2: 7 }),
    svg("circle", { class: "mean", cx: from(one.mean), cy: 7, r: 4 }));
  if (from === at) drawing.prepend(svg("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: 14 }));
  return drawing;
}

function scoreLines(group, unread) {
  return Object.entries(data.scores[group]).flatMap(([name, summaries]) => summaries.filter((one) => one.n).map((one) =>
    el("tr", {}, group === "overall" ? null : cell(name), cell(one.name), cell(number(one.mean), "number"),
      cell(number(one.low) + " to " + number(one.high), "number"), el("td", {}, bar(one)), cell(String(one.n), "number"),
      unread ? cell(one.unread ? String(one.unread) : "", "number") : null,
      cell(Object.entries(one.labels).map(([text, count]) => text + " " + count).join(", "), "text"))));
}

function scores() {
  if (!data.scores.overall) return el("p", { class: "soft" }, "No gold answers, so no scores.");
  const body = el("tbody"), first = el("th", { scope: "col" }, "Group");
  const groups = [["overall", "All"], ["kind", "By kind"], ["document", "By document"]].filter(([key]) => Object.keys(data.scores[key]).length);
  const unread = groups.some(([key]) => Object.values(data.scores[key]).flat().some((one) => one.n && one.unread));
  const buttons = groups.map(([key, title]) => el("button", { type: "button", id: "by-" + key, onclick: () => show(key) }, title));
  function show(key) {
    groups.forEach(([group], place) => buttons[place].setAttribute("aria-pressed", String(group === key)));
    first.hidden = key === "overall";
    body.replaceChildren(...scoreLines(key, unread));
  }
  show("overall");
  const heads = ["Score", "Mean", "95 % interval", "", "Questions", ...(unread ? ["Unread"] : []), "Labels"];
  return el("section", {}, el("h2", {}, "Scores"), el("div", { class: "controls" }, buttons),
    el("div", { class: "scroll" }, el("table", { id: "scores" }, el("thead", {}, el("tr", {}, first,
      heads.map((head) => el("th", { scope: "col", class: ["Mean", "95 % interval", "Questions", "Unread"].includes(head) ? "number" : null }, head)))), body)),
    meanings(data.scores.overall[""].map((one) => one.name)));
}

// A pattern of a score's name, and what the score says. Names that a run gives itself show nothing.
const MEANINGS = [
  [/^exact_match$/, "answers equal to a gold one, once width, numerals, punctuation and units are normalised"],
  [/^f1$/, "characters shared with the nearest gold answer"],
  [/^contains$/, "answers that hold a gold one"],
  [/^list_f1$/, "items found, where the gold is a list"],
  [/^number_match$/, "the right number or date, where the gold has one"],
  [/^abstention$/, "questions answered 「分かりません」"],
  [/^crag$/, "points by the rule judge: Perfect 1, Acceptable .5, Missing 0, Incorrect −1"],
  [/^judge/, "the same points, by a judging model"],
  [/^evidence_verbatim$/, "quoted evidence that stands in the documents word for word"],
  [/^evidence_supports$/, "answers that their evidence holds"],
  [/^evidence_recall/, "expected evidence among the first passages retrieved"],
  [/^all_evidence/, "questions with all of it there"],
  [/^mrr$/, "1 / the rank of the first passage with expected evidence"],
  [/^route_right/, "the router's first document is an expected one"],
  [/^document_recall/, "expected documents among the first passages retrieved"],
];

function meanings(names) {
  const known = names.flatMap((name) => MEANINGS.filter(([pattern]) => pattern.test(name)).map(([, text]) => [name, text]));
  return el("details", {}, el("summary", {}, "What the scores mean"),
    el("dl", { class: "meaning" }, known.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]).flat()));
}

function curve() {
  if (!data.curve.length) return null;
  const wide = 560, high = 220, left = 44, under = 30;
  const values = data.curve.map((point) => point.score).concat(0);
  const top = Math.max(...values), bottom = Math.min(...values), range = top - bottom || 1;
  const x = (coverage) => left + (wide - left - 12) * coverage, y = (score) => 12 + (high - under - 12) * (1 - (score - bottom) / range);
  const best = data.curve.reduce((a, b) => (b.score > a.score ? b : a));
  const points = [[0, 0], ...data.curve.map((point) => [point.coverage, point.score])].map(([a, b]) => x(a) + "," + y(b)).join(" ");
  const drawing = svg("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-labelledby": "curve-text" },
    svg("line", { class: "zero", x1: x(0), x2: x(1), y1: y(0), y2: y(0) }),
    svg("line", { class: "axis", x1: x(0), x2: x(0), y1: 8, y2: high - under }),
    svg("polyline", { class: "curve", points }), svg("circle", { class: "dot", cx: x(best.coverage), cy: y(best.score), r: 4 }));
  const write = (text, px, py, anchor) => { const node = svg("text", { x: px, y: py, "text-anchor": anchor }); node.textContent = text; drawing.append(node); };
  write(number(top, 2), left - 6, y(top) + 4, "end");
  if (bottom < 0) write(number(bottom, 2), left - 6, y(bottom) + 4, "end");
  write("0 %", x(0), high - 10, "start"); write("answered", x(0.5), high - 10, "middle"); write("100 %", x(1), high - 10, "end");
  return el("section", {}, el("h2", {}, "Score against coverage"),
    el("p", { id: "curve-text" }, `Answering only from confidence ${number(best.threshold, 2)} up (${number(100 * best.coverage, 0)} % of the questions) `
      + `would have given ${judge} ${number(best.score)}; answering all gives ${number(data.curve[data.curve.length - 1].score)}.`),
    el("p", { class: "soft" }, "Chosen on these very questions, so it flatters: tune a threshold on others."), drawing);
}

function passage(one) {
  if (one.how === "none") return [el("p", {}, "Not in the corpus:"), quote(one.quoted)];
  const how = { exact: "verbatim", normalised: "verbatim but for spelling", near: `nearly (${one.similarity} alike, not verbatim)` }[one.how];
  return [el("p", {}, `${one.title || one.document}, ${one.span[0]}–${one.span[1]}${one.raw ? ` (file: ${one.raw[0]}–${one.raw[1]})` : ""}: ${how}`),
    one.how === "near" ? el("p", { class: "soft" }, "quoted as: " + one.quoted) : null,
    quote(one.before, el("mark", {}, one.text), one.after)];
}

function retrieved(row) {
  const wanted = [...row.goldEvidence, ...row.evidence].map((one) => one.text || one.quoted);
  return row.retrieved.map((item, place) => el("div", {},
    el("p", { class: "soft" }, `${place + 1}. ${item.id} by ${item.by}, score ${item.score}`), quote(marked(item.text, wanted))));
}

function detail(row) {
  const evidence = row.evidence.length ? row.evidence.flatMap(passage) : [el("p", { class: "soft" }, "none given")];
  const usage = row.usage, lines = Object.values(row.scores);
  return el("div", {},
    row.error ? el("p", { class: "label error" }, row.error) : null,
    el("div", { class: "columns" },
      el("div", {}, el("h3", {}, "Evidence given"), evidence),
      row.goldEvidence.length ? el("div", {}, el("h3", {}, "Evidence expected"), row.goldEvidence.flatMap(passage)) : null),
    el("h3", {}, "Scores"), el("p", {}, lines.map((one) => `${one.name} ${one.label === "not_applicable" ? "n/a" : one.value === null ? "unread" : number(one.value)}`
      + (one.label && one.label !== "not_applicable" ? ` (${one.label})` : "") + (one.note && one.label !== "not_applicable" ? `: ${one.note}` : "")).join(" · ")),
    el("h3", {}, "Work"), el("p", {}, `stop: ${row.stop} · ${row.seconds} s · ${usage.requests} requests (${usage.cached} cached) · `
      + `${usage.prompt_tokens} + ${usage.completion_tokens} tokens · ${money(usage.usd)}`
      + (row.confidence === null ? "" : ` · confidence ${number(row.confidence, 2)}`) + (row.flags.length ? " · flags: " + row.flags.join(", ") : "")),
    row.trace.length ? el("ol", {}, row.trace.map((step) => el("li", {}, `${step.name}: ${step.detail} (${number(step.seconds)} s)`))) : null,
    el("h3", {}, `Retrieved (${row.retrieved.length})`), retrieved(row));
}

function questions() {
  const count = el("p", { class: "soft", id: "count", role: "status" });
  const columns = [
    { title: "Index", value: (row) => row.index, cell: opener },
    { title: "Kind", value: (row) => row.kind, cell: (row) => cell(row.kind) },
    { title: "Question", value: (row) => row.question, cell: (row) => cell(row.question, "text") },
    { title: "Answer", value: (row) => row.answer, cell: (row) => cell(row.answer, "text") },
    { title: "Gold", value: (row) => row.gold.join(), cell: (row) => cell(row.gold.join(" / "), "text") },
    { title: "Label", value: verdict, cell: (row) => el("td", {}, label(verdict(row))) },
    { title: "F1", number: true, value: (row) => (row.scores.f1 || {}).value, cell: (row) => cell(number((row.scores.f1 || {}).value, 2), "number") },
    { title: "Seconds", number: true, value: (row) => row.seconds, cell: (row) => cell(number(row.seconds, 2), "number") },
    { title: "Cost", number: true, value: (row) => row.usage.usd, cell: (row) => cell(money(row.usage.usd), "number") },
  ];
  const list = table(columns, data.rows, "questions", detail);
  const kind = choice("Kind", unique(data.rows.map((row) => row.kind)), filter);
  const source = choice("Document", unique(data.rows.flatMap((row) => row.documents)), filter);
  const judged = choice("Label", unique(data.rows.map(verdict)), filter);
  const stop = choice("Stop", unique(data.rows.map((row) => row.stop)), filter);
  const text = search(filter);
  function filter() {
    const some = data.rows.filter((row) => (kind.any || row.kind === kind.value) && (source.any || row.documents.includes(source.value))
      && (judged.any || verdict(row) === judged.value) && (stop.any || row.stop === stop.value)
      && (!text.value || [row.question, row.answer, ...row.gold].join("\n").toLowerCase().includes(text.value)));
    list.show(some);
    count.textContent = `${some.length} of ${data.rows.length} questions`;
  }
  filter();
  return el("section", {}, el("h2", {}, "Questions"),
    el("div", { class: "controls" }, kind.node, source.node, judged.node, stop.node, text.node), count, list.node);
}

page.append(...[header(), scores(), curve(), questions()].filter(Boolean));
