"use strict";
(() => {
  const root = document.documentElement;
  const cards = [...document.querySelectorAll("section:not([aria-labelledby=withheld]) .card")];
  const position = document.querySelector(".position");
  let at = -1;

  const open = (element) => {
    for (let step = element; step; step = step.parentElement) {
      if (step.tagName === "DETAILS") step.open = true;
    }
    const fold = element.querySelector(":scope > details:not(.proof)");
    if (fold) fold.open = true;
  };

  const say = () => {
    const place = at < 0 ? "" : `${at + 1} of `;
    position.textContent = cards.length ? place + cards.length : "none";
  };

  const show = (card) => {
    open(card);
    card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
    at = cards.indexOf(card);
    say();
  };

  const go = (step) => {
    if (!cards.length) return;
    const next = at < 0 ? (step > 0 ? 0 : cards.length - 1) : (at + step + cards.length) % cards.length;
    show(cards[next]);
    history.replaceState(null, "", `#${cards[next].id}`);
  };

  const proof = () => {
    const fold = at < 0 ? null : cards[at].querySelector(".proof");
    if (fold) fold.open = !fold.open;
  };

  const files = () => {
    const all = [...document.querySelectorAll("details.file")];
    const isAnyClosed = all.some((file) => !file.open);
    for (const file of all) file.open = isAnyClosed;
  };

  const remember = (theme) => {
    try {
      localStorage.setItem("affidavit-theme", theme);
    } catch {
      // A page from a file may have no storage; the switch works all the same.
    }
  };

  const theme = () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    remember(root.dataset.theme);
  };

  const recall = () => {
    try {
      const kept = localStorage.getItem("affidavit-theme");
      if (kept === "dark" || kept === "light") root.dataset.theme = kept;
    } catch {
      // No storage, no memory.
    }
  };

  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.classList.contains("card")) show(target);
    else open(target);
  };

  const acts = { next: () => go(1), previous: () => go(-1), files, theme, proof };
  const keys = { j: "next", n: "next", k: "previous", f: "files", t: "theme", p: "proof" };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) acts[button.dataset.do]();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    acts[keys[event.key]]();
  });
  document.addEventListener("focusin", (event) => {
    const found = cards.indexOf(event.target.closest(".card"));
    if (found >= 0) at = found;
    say();
  });
  addEventListener("hashchange", follow);
  for (const tools of document.querySelectorAll(".tools")) tools.hidden = false;
  recall();
  say();
  follow();
})();
