// The big screen turns its pages: of a list that is longer than the wall it shows another part every ten seconds.

const TURN_MS = 10000;
const BELOW_PX = 24;
const isWall = matchMedia("(min-width: 60.01rem)"); // a phone scrolls

/** A list's rows in parts that fit, from where it begins down to the edge of the wall. */
function parts(list) {
  const rows = [...list.children];
  for (const row of rows) row.hidden = false;
  if (!isWall.matches) return [rows];
  const room = innerHeight - BELOW_PX - (list.getBoundingClientRect().top + scrollY);
  const found = [];
  let begins = 0;
  for (const row of rows) {
    const { top, bottom } = row.getBoundingClientRect();
    if (!found.length || bottom - begins > room) {
      found.push([]);
      begins = top;
    }
    found.at(-1).push(row);
  }
  return found;
}

let turn = 0;

function show() {
  for (const list of document.querySelectorAll("#now .boards, #now tbody")) {
    const all = parts(list);
    const shown = all[turn % all.length];
    const rows = all.flat();
    for (const row of rows) row.hidden = !shown.includes(row);
    const first = rows.indexOf(shown[0]) + 1;
    list.closest("section").dataset.part = all.length > 1 ? `${first}–${first + shown.length - 1} / ${rows.length}` : "";
  }
}

const renewed = new MutationObserver(show);
renewed.observe(document.getElementById("now"), { childList: true });
addEventListener("resize", show);
setInterval(() => {
  turn += 1;
  show();
}, TURN_MS);
show();
