"use strict";
(() => {
  const svg = document.querySelector(".picture svg");
  const boxes = svg ? [...svg.querySelectorAll("a[data-key]")] : [];
  const ties = svg ? [...svg.querySelectorAll(".tie")] : [];
  const rows = [...document.querySelectorAll(".files > li[data-path]")];
  const box = new Map(boxes.map((one) => [one.dataset.key, one]));

  const light = (key) => {
    svg.classList.toggle("narrowed", key !== null);
    const lit = new Set([key]);
    for (const tie of ties) {
      const is_tied = key !== null && (tie.dataset.from === key || tie.dataset.to === key);
      tie.classList.toggle("lit", is_tied);
      if (is_tied) lit.add(tie.dataset.from).add(tie.dataset.to);
    }
    for (const one of boxes) one.classList.toggle("lit", key !== null && lit.has(one.dataset.key));
  };

  const place = (one) => ({ x: Number(one.dataset.x), y: Number(one.dataset.y) });
  const nearest = (from, fits) => {
    const at = place(from);
    let best = null;
    let least = Infinity;
    for (const one of boxes) {
      const there = place(one);
      if (one === from || one.classList.contains("off") || !fits(at, there, one)) continue;
      const distance = Math.abs(there.y - at.y) + Math.abs(there.x - at.x);
      if (distance < least) [best, least] = [one, distance];
    }
    return best;
  };
  const tied = (from) => {
    const key = from.dataset.key;
    const near = ties.filter((tie) => tie.dataset.from === key || tie.dataset.to === key);
    return new Set(near.map((tie) => (tie.dataset.from === key ? tie.dataset.to : tie.dataset.from)));
  };
  const step = (from, pressed) => {
    const aside = pressed === "ArrowLeft" ? -1 : pressed === "ArrowRight" ? 1 : 0;
    if (!aside) {
      const down = pressed === "ArrowDown" ? 1 : -1;
      return nearest(from, (at, there) => there.x === at.x && (there.y - at.y) * down > 0);
    }
    const known = tied(from);
    const is_beside = (at, there) => (there.x - at.x) * aside > 0;
    return nearest(from, (at, there, one) => is_beside(at, there) && known.has(one.dataset.key)) || nearest(from, is_beside);
  };

  for (const one of boxes) {
    one.addEventListener("mouseenter", () => light(one.dataset.key));
    one.addEventListener("focus", () => light(one.dataset.key));
    one.addEventListener("mouseleave", () => light(null));
    one.addEventListener("blur", () => light(null));
    one.addEventListener("keydown", (event) => {
      if (!event.key.startsWith("Arrow")) return;
      const next = step(one, event.key);
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  const off = new Set();
  const field = document.querySelector("#filter");
  const refresh = () => {
    const wanted = field ? field.value.trim().toLowerCase() : "";
    for (const row of rows) {
      const is_off = !row.dataset.path.toLowerCase().includes(wanted) || off.has(row.dataset.kind);
      row.classList.toggle("off", is_off);
      const shown = box.get(row.id);
      if (shown) shown.classList.toggle("off", is_off);
    }
    for (const tie of ties) {
      const ends = [box.get(tie.dataset.from), box.get(tie.dataset.to)];
      tie.classList.toggle("off", off.has(tie.dataset.kind) || ends.some((end) => end.classList.contains("off")));
    }
  };
  if (field) field.addEventListener("input", refresh);
  for (const button of document.querySelectorAll("button[data-kind]")) {
    button.addEventListener("click", () => {
      const kind = button.dataset.kind;
      const is_on = off.delete(kind);
      if (!is_on) off.add(kind);
      button.setAttribute("aria-pressed", String(is_on));
      refresh();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === field || !field) return;
    event.preventDefault();
    field.focus();
  });
})();
