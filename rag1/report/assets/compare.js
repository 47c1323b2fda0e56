const right = (side) => side.value >= data.right;
const score = (side) => side.value.toFixed(2).replace(/\.?0+$/, "") || "0";

function standings() {
  return el("section", {}, el("h2", {}, `${data.metric} over ${data.n} questions`),
    el("div", { class: "scroll" }, el("table", { id: "standings" },
      el("thead", {}, el("tr", {}, ["Run", "Mean", "95 % interval", "Cost", "Seconds, summed", "Pareto front"].map((head, place) =>
        el("th", { scope: "col", class: place && place < 5 ? "number" : null }, head)))),
      el("tbody", {}, data.standings.map((one) => el("tr", {}, cell(one.name, "text"), cell(number(one.mean), "number"),
        cell(`${number(one.low)} to ${number(one.high)}`, "number"), cell(money(one.usd), "number"), cell(number(one.seconds, 1), "number"),
        el("td", {}, one.pareto ? el("span", { class: "star" }, "★ nothing is better in score, cost and time") : "")))))));
}

function pairs() {
  const heads = ["A", "B", "A − B", "95 % interval", "A alone right", "B alone right", "McNemar p", "p", "p (Holm)", ""];
  return el("section", {}, el("h2", {}, "Pairs"),
    el("p", { class: "soft" }, "A alone right: questions that A gets right and B does not. p: paired sign-flip test of the mean. The interval is a paired bootstrap's. Holm adjusts for all pairs."),
    el("div", { class: "scroll" }, el("table", { id: "pairs" },
      el("thead", {}, el("tr", {}, heads.map((head, place) => el("th", { scope: "col", class: place > 1 ? "number" : null }, head)))),
      el("tbody", {}, data.pairs.map((pair) => {
        const one = pair.found;
        return el("tr", {}, cell(pair.a, "text"), cell(pair.b, "text"), cell(number(one.mean), "number"), cell(`${number(one.low)} to ${number(one.high)}`, "number"),
          ...[one.only_a, one.only_b].map((count) => cell(String(count), "number")), ...[one.mcnemar_p, one.p, pair.p_holm].map((p) => cell(number(p), "number")),
          cell(pair.differs ? "different" : "no difference shown"));
      })))));
}

function detail(row) {
  return el("div", { class: "columns" }, data.names.map((name) => {
    const side = row.runs[name];
    return el("div", {}, el("h3", {}, name), el("p", {}, label(side.label || score(side)), " ", side.answer),
      el("h3", {}, "Evidence"), quote(side.evidence),
      el("details", {}, el("summary", {}, `Retrieved (${side.retrieved.length})`), el("ol", {}, side.retrieved.map((item) => el("li", {}, item)))));
  }));
}

function questions() {
  const count = el("p", { class: "soft", id: "count", role: "status" });
  const a = picker("A", 0), b = picker("B", 1);
  const both = (rule) => (row) => rule(row.runs[a.value], row.runs[b.value]);
  const filters = [
    ["all", () => true],
    ["A right, B wrong", both((one, two) => right(one) && !right(two))],
    ["A wrong, B right", both((one, two) => !right(one) && right(two))],
    ["both right", both((one, two) => right(one) && right(two))],
    ["both wrong", both((one, two) => !right(one) && !right(two))],
    ["answers differ", both((one, two) => one.answer !== two.answer)],
  ];
  let chosen = 0, list = null;
  const holder = el("div");
  const buttons = filters.map(([name], place) => el("button", { type: "button", "aria-pressed": String(!place), onclick: () => choose(place) }, name));
  const text = search(filter), kind = choice("Kind", unique(data.rows.map((row) => row.kind)), filter);

  function picker(name, place) {
    const select = el("select", { id: "run-" + name.toLowerCase(), onchange: build }, data.names.map((run) => el("option", { value: run }, run)));
    select.selectedIndex = place;
    return { node: field(name, select), get value() { return select.value; } };
  }
  function side(picked, title) {
    return { title, value: (row) => row.runs[picked].answer, cell: (row) => el("td", { class: "text", lang: "ja" }, el("span", { class: "label " + row.runs[picked].label },
      `${row.runs[picked].label || "score"} ${score(row.runs[picked])}`), el("br"), row.runs[picked].answer) };
  }
  function build() {
    list = table([
      { title: "Index", value: (row) => row.index, cell: opener },
      { title: "Kind", value: (row) => row.kind, cell: (row) => cell(row.kind) },
      { title: "Question", value: (row) => row.question, cell: (row) => cell(row.question, "text") },
      side(a.value, "A: " + a.value), side(b.value, "B: " + b.value),
      { title: "A − B", number: true, value: (row) => row.runs[a.value].value - row.runs[b.value].value,
        cell: (row) => cell(number(row.runs[a.value].value - row.runs[b.value].value, 2), "number") },
    ], data.rows, "questions", detail);
    holder.replaceChildren(list.node);
    filter();
  }
  function choose(place) {
    chosen = place;
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === place)));
    filter();
  }
  function filter() {
    const some = data.rows.filter((row) => filters[chosen][1](row) && (kind.any || row.kind === kind.value)
      && (!text.value || [row.question, row.runs[a.value].answer, row.runs[b.value].answer].join("\n").toLowerCase().includes(text.value)));
    list.show(some);
    count.textContent = `${some.length} of ${data.rows.length} questions`;
  }
  build();
  return el("section", {}, el("h2", {}, "Questions"), el("div", { class: "controls" }, a.node, b.node, kind.node, text.node),
    el("div", { class: "controls", role: "group", "aria-label": "Show" }, buttons), count, holder);
}

page.append(el("header", {}, el("h1", {}, "Runs compared"), data.words.map((line) => el("p", { class: "verdict" }, line))),
  standings(), pairs(), questions());
