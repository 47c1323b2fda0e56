"use strict";
// Draws the facts of the page's data block. Text from the graph only ever becomes text, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const FONT = 'GraphJapanese, "Hiragino Sans", "Noto Sans CJK JP", "Yu Gothic", sans-serif';
  const facts = new Map(data.facts.map((fact) => [fact.id, fact]));
  const cy = cytoscape({
    container: document.getElementById("graph"),
    elements: [
      ...data.nodes.map((node) => ({ data: node })),
      ...data.facts.map((fact) => ({ data: { id: fact.id, source: fact.source, target: fact.target, label: fact.relation } })),
    ],
    style: [
      { selector: "node", style: {
        label: "data(name)", "font-size": 12, "font-family": FONT, "text-valign": "bottom", "text-margin-y": 3, color: "#1d2733",
        "background-color": "#3b82a0", width: "mapData(degree, 1, 20, 14, 44)", height: "mapData(degree, 1, 20, 14, 44)",
        "text-wrap": "ellipsis", "text-max-width": 160, "min-zoomed-font-size": 6 } },
      { selector: "edge", style: {
        label: "data(label)", "font-size": 9, "font-family": FONT, color: "#566575", width: 1.2, "line-color": "#b6c2cf",
        "target-arrow-color": "#b6c2cf", "target-arrow-shape": "triangle", "curve-style": "bezier",
        "text-rotation": "autorotate", "text-background-color": "#fbfcfd", "text-background-opacity": 0.85,
        "min-zoomed-font-size": 6 } },
      { selector: "node[?centre]", style: { "background-color": "#c2410c" } },
      { selector: ":selected", style: { "background-color": "#f59e0b", "line-color": "#f59e0b", "target-arrow-color": "#f59e0b" } },
      { selector: ".faded", style: { opacity: 0.15 } },
    ],
    layout: { name: "cose", animate: false, randomize: false, nodeOverlap: 40, componentSpacing: 80,
              nodeRepulsion: () => 40000, idealEdgeLength: () => 110 },
    wheelSensitivity: 0.3,
  });

  function show(title, shown) {
    document.getElementById("chosen").textContent = title;
    document.getElementById("facts").replaceChildren(...shown.map((fact) => {
      const item = document.createElement("li");
      item.textContent = fact.text;
      if (fact.evidence) {
        const quote = document.createElement("blockquote");
        quote.textContent = fact.evidence + (fact.place ? `(${fact.place})` : "");
        item.append(quote);
      }
      return item;
    }));
  }

  cy.on("select", "node", (event) => {
    const edges = event.target.connectedEdges();
    cy.elements().addClass("faded");
    event.target.closedNeighborhood().removeClass("faded");
    show(event.target.data("name"), edges.map((edge) => facts.get(edge.id())));
  });
  cy.on("select", "edge", (event) => show(event.target.data("label"), [facts.get(event.target.id())]));
  cy.on("unselect", () => cy.elements().removeClass("faded"));

  document.getElementById("search").addEventListener("input", (event) => {
    const asked = event.target.value.trim().normalize("NFKC");
    cy.elements().unselect().removeClass("faded");
    if (!asked) return;
    const found = cy.nodes().filter((node) => node.data("name").normalize("NFKC").includes(asked));
    document.getElementById("status").textContent = `${found.length} 件`;
    if (found.length) {
      cy.animate({ center: { eles: found[0] }, duration: 150 });
      found[0].select();
    }
  });
  // A canvas does not wait for a font by itself.
  document.fonts.load("12px GraphJapanese", "日本").then(() => cy.style().update());
  window.graph = cy;
})();
