"use strict";
// Steps through the games of the page. Everything that is shown is in the page already.
document.addEventListener("DOMContentLoaded", () => {
  const games = [...document.querySelectorAll("section.game")].map((section) => {
    const frames = [...section.querySelectorAll(".ply")];
    const moves = [...section.querySelectorAll(".moves button")];
    const keys = [...section.querySelectorAll(".key button")];
    const note = section.querySelector(".note");
    const cursor = section.querySelector(".cursor");
    const bar = section.querySelector(".bar i");
    let ply = 0;

    function show(wanted) {
      ply = Math.max(0, Math.min(frames.length - 1, wanted));
      frames.forEach((frame, index) => frame.classList.toggle("shown", index === ply));
      for (const button of moves) {
        if (Number(button.dataset.ply) === ply) {
          button.setAttribute("aria-current", "step");
          const list = button.closest(".moves");
          const above = button.offsetTop - list.offsetTop;
          if (above < list.scrollTop || above + button.offsetHeight > list.scrollTop + list.clientHeight) {
            list.scrollTop = above - list.clientHeight / 2;
          }
        } else {
          button.removeAttribute("aria-current");
        }
      }
      note.textContent = "";
      const title = document.createElement("b");
      title.textContent = frames[ply].dataset.title;
      note.append(title, " " + frames[ply].dataset.note);
      bar.style.height = frames[ply].dataset.win + "%";
      if (cursor) {
        cursor.setAttribute("x1", ply);
        cursor.setAttribute("x2", ply);
      }
      section.dataset.shown = ply;
    }

    const game = {
      section,
      show,
      step: (by) => show(ply + by),
      end: () => show(frames.length - 1),
      key(by) {
        const plies = keys.map((button) => Number(button.dataset.ply));
        const next = by > 0 ? plies.find((key) => key > ply) : plies.reverse().find((key) => key < ply);
        if (next !== undefined) show(next);
      },
      turn: () => section.classList.toggle("turned"),
    };

    section.addEventListener("click", (event) => {
      const target = event.target.closest("[data-ply], [data-do], .graph, .board > svg");
      if (!target) return;
      const does = target.dataset.do;
      if (does === "first") show(0);
      else if (does === "back") game.step(-1);
      else if (does === "on") game.step(1);
      else if (does === "last") game.end();
      else if (does === "turn") game.turn();
      else if (target.matches(".graph")) {
        const box = target.getBoundingClientRect();
        show(Math.round(((event.clientX - box.left) / box.width) * (frames.length - 1)));
      } else if (target.matches("svg")) {
        const box = target.getBoundingClientRect();
        game.step(event.clientX - box.left < box.width / 3 ? -1 : 1);
      } else show(Number(target.dataset.ply));
    });
    section.querySelector(".board").addEventListener("wheel", (event) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      game.step(event.deltaY > 0 ? 1 : -1);
    }, { passive: false });
    show(0);
    return game;
  });

  let current = games[0];
  const nav = document.querySelector("nav");
  if (games.length > 1) {
    const choice = document.createElement("select");
    choice.setAttribute("aria-label", "Game");
    games.forEach((game, index) => {
      choice.append(new Option(`${index + 1}. ${game.section.querySelector("h2").textContent}`, index));
    });
    const choose = () => {
      current = games[Number(choice.value)];
      games.forEach((game) => { game.section.hidden = game !== current; });
    };
    choice.addEventListener("change", choose);
    nav.append(choice);
    choose();
  }

  document.addEventListener("keydown", (event) => {
    if (!current || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    const does = {
      ArrowRight: () => current.step(1),
      ArrowLeft: () => current.step(-1),
      ArrowDown: () => current.key(1),
      ArrowUp: () => current.key(-1),
      Home: () => current.show(0),
      End: () => current.end(),
      f: () => current.turn(),
    }[event.key];
    if (does) {
      event.preventDefault();
      does();
    }
  });
});
